//! Recorded meetings. Each is a session of three: a recorder that writes the file, a source that takes the sound, and a
//! listener that sends the sound to a service in the network, which writes it down as text.
//!
//! Requirements:
//! * The service may be away for a while or permanently, also from the beginning, and the meeting is still recorded,
//!   with a note about the missing text. It is tried again after 2, 5, 10 and 20 s, and then every 30 s, seven times in
//!   all. A key that the service does not accept is not tried again.
//! * A listener that comes back asks the source for what the service has not heard: nothing is missing in the text, and
//!   nothing is there twice.
//! * A source that crashes takes up the sound again; at the fourth crash within 22 s its session ends.
//! * A recorder that cannot write ends its own session at once, with the reason, and no other session.
//! * Every file is closed after the last frame.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use tokio::time::Instant;

use crate::common::{pass, secs, settle, soon};

// The work: stand-ins.

/// The disk and the service, as planned by the test.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    meetings: HashMap<u32, Meeting>,
    is_away: bool,
    key_is_wrong: bool,
}

#[derive(Default)]
struct Meeting {
    file: Vec<String>,
    /// The frames that the service has heard.
    text: Vec<u32>,
    /// The times at which a listener has called the service.
    calls: Vec<Instant>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn of<T>(&self, meeting: u32, f: impl FnOnce(&mut Meeting) -> T) -> T {
        self.with(|outside| f(outside.meetings.entry(meeting).or_default()))
    }

    fn lines(&self, meeting: u32) -> Vec<String> {
        self.of(meeting, |meeting| std::mem::take(&mut meeting.file))
    }

    fn text(&self, meeting: u32) -> Vec<u32> {
        self.of(meeting, |meeting| meeting.text.clone())
    }

    fn call(&self) -> Result<(), ServiceError> {
        self.with(|outside| match () {
            () if outside.key_is_wrong => Err(ServiceError::WrongKey),
            () if outside.is_away => Err(ServiceError::Away),
            () => Ok(()),
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
struct DiskFull;

#[derive(Debug, thiserror::Error)]
enum ServiceError {
    #[error("the service is away")]
    Away,
    #[error("the service does not accept the key")]
    WrongKey,
}

struct Recorder {
    meeting: u32,
    frames: u32,
    world: World,
}

#[actor]
impl Recorder {
    #[message]
    fn frame(&mut self, number: u32) {
        self.frames += 1;
        self.line(format!("frame {number}"));
    }

    /// No text is written any more.
    #[message]
    fn gap(&mut self, why: &Ended) {
        self.line(format!("gap: {why}"));
    }

    #[message]
    fn disk_full(&mut self) -> Result<(), Thrown> {
        Err(DiskFull)?
    }

    #[message]
    fn frames(&self) -> u32 {
        self.frames
    }

    fn line(&self, line: String) {
        self.world.of(self.meeting, |meeting| meeting.file.push(line));
    }

    #[post_stop]
    fn close(&mut self) {
        self.line(format!("closed with {} frames", self.frames));
    }
}

/// The frames that the service has not heard, which outlive the source.
type Unheard = Arc<Mutex<Vec<u32>>>;

struct Source {
    unheard: Unheard,
    recorder: ActorRef<Recorder>,
    listener: ActorRef<Listener>,
}

#[actor]
impl Source {
    #[message]
    async fn frame(&mut self, number: u32) {
        self.unheard.lock().unwrap().push(number);
        let _ = self.recorder.frame(number).forget().await;
        let _ = self.listener.hear(number).at_once().forget().await; // if it is down, the source keeps the frame
    }

    #[message]
    fn unheard(&self) -> Vec<u32> {
        self.unheard.lock().unwrap().clone()
    }

    #[message]
    fn heard(&mut self, number: u32) {
        self.unheard.lock().unwrap().retain(|unheard| *unheard > number);
    }
}

struct Listener {
    meeting: u32,
    /// The first frame that the service has not heard.
    next: u32,
    source: ActorRef<Source>,
    world: World,
}

#[actor]
impl Listener {
    async fn join(meeting: u32, source: ActorRef<Source>, world: World) -> Result<Listener, Thrown> {
        world.of(meeting, |meeting| meeting.calls.push(Instant::now()));
        world.call()?;
        let unheard = source.unheard().await?;
        let mut listener = Listener { meeting, next: 0, source, world };
        for frame in unheard {
            listener.hear(frame).await?;
        }
        Ok(listener)
    }

    #[message]
    async fn hear(&mut self, frame: u32) -> Result<(), Thrown> {
        if frame < self.next {
            return Ok(()); // a frame that came with those that were unheard
        }
        self.world.call()?;
        self.world.of(self.meeting, |meeting| meeting.text.push(frame));
        self.next = frame + 1;
        let _ = self.source.heard(frame).forget().await;
        Ok(())
    }
}

/// Notes in the file when the listener is gone.
async fn note_the_gap(listener: ActorRef<Listener>, recorder: ActorRef<Recorder>) {
    if let Ok(ended @ (Ended::Limit(_) | Ended::Failed(_))) = listener.terminated().await {
        let _ = recorder.gap(ended).forget().await;
    }
}

supervisor! {
    /// One meeting. Without a recorder there is no session; without a listener the session continues with less.
    struct Session(meeting: u32, world: World) {
        let unheard = Unheard::default();

        #[decider(_ => Escalate)]
        #[lifecycle(Permanent, drain, shutdown = 10s)]
        recorder: Recorder = Recorder { meeting, frames: 0, world },

        #[lifecycle(Permanent, drain, shutdown = 30s)]
        #[limit(max_restarts = 3, within = 22s)]
        source: Source = Source { unheard, recorder, listener: later(listener) },

        #[lifecycle(Permanent, best_effort)]
        #[decider(ServiceError::WrongKey => Stop, _ => Restart)]
        #[backoff([2s, 5s, 10s, 20s, 30s], random_factor = 0)]
        #[limit(max_restarts = 7, within = 5min, on_limit = Stop)]
        listener: Listener = Listener::join(meeting, source, world).await?,

        gap: task = note_the_gap(listener, recorder),
    }

    struct Service(world: World) {
        #![decider(_ => Stop)]
        meetings: [Session] = |meeting: u32| Session::tree(meeting, world),
    }
}

async fn service() -> (Running<Service>, World) {
    let world = World::default();
    (Service::start(world.clone()).await.unwrap(), world)
}

async fn hear(session: &Session, frames: std::ops::Range<u32>) {
    for number in frames {
        let _ = session.source.frame(number).forget().await;
    }
    settle().await;
}

/// S14, S17: the listener is restarted with a backoff, alone: the recorder has the same file open all the time.
#[tokio::test(start_paused = true)]
async fn the_recorder_ignores_listener_restarts() {
    let (service, world) = service().await;
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..3).await;
    session.listener.inject(Fault::panic("a bug"));
    hear(&session, 3..5).await;
    assert_eq!(world.lines(1), [0, 1, 2, 3, 4].map(|number| format!("frame {number}")));
    assert_eq!(world.text(1), [0, 1, 2]);
    pass(secs(2)).await;
    hear(&session, 5..6).await;
    assert_eq!(world.text(1), [0, 1, 2, 3, 4, 5]);
    assert_eq!((session.listener.incarnation(), session.recorder.incarnation()), (2, 1));
    assert_eq!(session.recorder.frames().await.unwrap(), 6, "the recorder keeps its state");
    service.shutdown().await;
    assert_eq!(world.lines(1), ["frame 5", "closed with 6 frames"]);
}

/// S31, S47: the service is called again after 2, 5, 10, 20 and 30 s; then it hears every frame once.
#[tokio::test(start_paused = true)]
async fn a_service_that_was_away_hears_every_frame_once() {
    let (service, world) = service().await;
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..2).await;
    pass(secs(60)).await;
    world.with(|outside| outside.is_away = true);
    world.of(1, |meeting| meeting.calls = vec![Instant::now()]);
    hear(&session, 2..10).await;
    pass(secs(90)).await;
    hear(&session, 10..20).await;
    world.with(|outside| outside.is_away = false);
    pass(secs(30)).await;
    hear(&session, 20..30).await;
    let calls = world.of(1, |meeting| meeting.calls.clone());
    let waits: Vec<_> = calls.windows(2).map(|two| (two[1] - two[0]).as_secs()).collect();
    assert_eq!(waits, [2, 5, 10, 20, 30, 30]);
    assert_eq!(world.text(1), (0..30).collect::<Vec<_>>());
    assert_eq!(session.recorder.frames().await.unwrap(), 30);
}

/// S15: at its limit the listener ends and nothing else: the session continues to record, and its file notes the
/// missing part.
#[tokio::test(start_paused = true)]
async fn a_network_that_stays_away_costs_the_listener_and_not_the_session() {
    let (service, world) = service().await;
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..2).await;
    world.with(|outside| outside.is_away = true);
    hear(&session, 2..3).await;
    pass(secs(150)).await; // 2 + 5 + 10 + 20 + 3 * 30 s, and the eighth failure is one too many
    assert!(matches!(session.listener.ended(), Some(Ended::Limit(_))), "{:?}", session.listener.ended());
    let lines = world.lines(1);
    assert_eq!(lines[..3], ["frame 0", "frame 1", "frame 2"]);
    assert!(lines.len() == 4 && lines[3].starts_with("gap: "), "{lines:?}");
    assert!(session.ended().is_none());
    hear(&session, 77..78).await;
    service.shutdown().await;
    assert_eq!(world.lines(1), ["frame 77", "closed with 4 frames"]);
}

/// S21: a key that the service does not accept, or a service that is away, is found at the beginning: the meeting is
/// recorded all the same, and the key is not tried again.
#[tokio::test(start_paused = true)]
async fn a_meeting_begins_without_its_listener() {
    let (service, world) = service().await;
    world.with(|outside| outside.key_is_wrong = true);
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..2).await;
    pass(secs(600)).await;
    assert_eq!(world.of(1, |meeting| meeting.calls.len()), 1);
    let mut lines = world.lines(1);
    lines.retain(|line| !line.starts_with("gap: ") || !line.contains("does not accept the key"));
    assert_eq!(lines, ["frame 0", "frame 1"]);

    world.with(|outside| (outside.key_is_wrong, outside.is_away) = (false, true));
    let session = service.meetings.spawn(2).await.unwrap();
    hear(&session, 0..2).await;
    world.with(|outside| outside.is_away = false);
    pass(secs(10)).await;
    assert_eq!((world.text(2), world.of(2, |meeting| meeting.calls.len())), (vec![0, 1], 2));
}

/// S15, S30: a source that crashes loses no frame; the fourth crash within 22 s ends its session, and no other one.
#[tokio::test(start_paused = true)]
async fn a_source_that_crashes_too_often_ends_its_session() {
    let (service, world) = service().await;
    let (one, two) = (service.meetings.spawn(1).await.unwrap(), service.meetings.spawn(2).await.unwrap());
    world.with(|outside| outside.is_away = true);
    for frame in 0..3 {
        hear(&one, frame..frame + 1).await;
        one.source.inject(Fault::panic("a bug"));
        pass(secs(1)).await;
    }
    world.with(|outside| outside.is_away = false);
    pass(secs(12)).await;
    assert_eq!(world.text(1), [0, 1, 2]);
    one.source.inject(Fault::panic("a bug"));
    let report = soon(one.join()).await.unwrap();
    assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)), "{report}");
    assert_eq!(world.lines(1).last().unwrap(), "closed with 3 frames");
    hear(&two, 0..4).await;
    assert_eq!(two.recorder.frames().await.unwrap(), 4);
}

/// S8, S20, S27: a recorder that cannot write ends its session at once, with the reason, and no other session.
#[tokio::test(start_paused = true)]
async fn a_recorder_that_cannot_write_ends_its_own_session() {
    let (service, world) = service().await;
    let (one, two) = (service.meetings.spawn(1).await.unwrap(), service.meetings.spawn(2).await.unwrap());
    hear(&one, 0..2).await;
    one.recorder.disk_full().forget().await.unwrap();
    let report = one.join().await.unwrap();
    let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
    assert!(failure.error::<DiskFull>().is_some());
    assert!(one.listener.ended().is_some(), "the listener went down before the recorder");
    assert_eq!(world.lines(1), ["frame 0", "frame 1", "closed with 2 frames"], "the file is closed");
    hear(&two, 0..4).await;
    assert_eq!(two.recorder.frames().await.unwrap(), 4);
    assert_eq!(service.meetings.len(), 1);
}

/// S24: at a stop the listener goes first, and source and recorder write down everything that they have received before
/// the file is closed (`drain`).
#[tokio::test(start_paused = true)]
async fn every_frame_that_was_taken_is_in_the_file_after_a_stop() {
    let (service, world) = service().await;
    for meeting in 0..20 {
        let session = service.meetings.spawn(meeting).await.unwrap();
        for number in 0..meeting {
            session.source.frame(number).at_once().forget().await.unwrap();
        }
    }
    let report = service.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    for meeting in 0..20 {
        let lines = world.lines(meeting);
        assert_eq!(lines.len() as u32, meeting + 1);
        assert_eq!(lines.last().unwrap(), &format!("closed with {meeting} frames"));
    }
}
