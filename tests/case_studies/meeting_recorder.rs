//! Recorded meetings. Each is a session of two: a recorder that writes the file, and a listener that takes sound from
//! the network and passes it to the recorder.
//!
//! Requirements: the network may fail for a while or permanently, and the meeting is still recorded, with a note about
//! the missing part; a recorder that cannot write ends its own session at once, with the reason, and no other session;
//! and every file is closed after the last frame.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;

use crate::common::{ms, pass, secs, settle};

type File = Arc<Mutex<Vec<String>>>;

/// The network and the disk, as planned by the test.
#[derive(Clone, Default)]
struct World {
    files: Arc<Mutex<HashMap<u32, File>>>,
    network_down: Arc<Mutex<bool>>,
}

impl World {
    fn file(&self, meeting: u32) -> File {
        self.files.lock().unwrap().entry(meeting).or_default().clone()
    }

    fn lines(&self, meeting: u32) -> Vec<String> {
        std::mem::take(&mut *self.file(meeting).lock().unwrap())
    }

    fn network(&self, down: bool) {
        *self.network_down.lock().unwrap() = down;
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
struct DiskFull;

#[derive(Debug, thiserror::Error)]
#[error("the network is away")]
struct NetworkAway;

enum Write {
    Frame(u32),
    /// No sound arrives any more.
    Gap(String),
    DiskFull,
    Frames(Reply<u32>),
}

#[derive(Debug, Clone)]
enum Heard {
    Frame(u32),
    Broken,
}

#[derive(Actor)]
#[actor(msg = Write, error = DiskFull)]
#[post_stop(close)]
struct Recorder {
    file: File,
    frames: u32,
}

impl Recorder {
    async fn handle(&mut self, write: Write, _: &mut Context<Self>) -> Result<(), DiskFull> {
        match write {
            Write::Frame(number) => {
                self.frames += 1;
                self.line(format!("frame {number}"));
            }
            Write::Gap(why) => self.line(format!("gap: {why}")),
            Write::DiskFull => return Err(DiskFull),
            Write::Frames(reply) => reply.send(self.frames),
        }
        Ok(())
    }

    fn line(&self, line: String) {
        self.file.lock().unwrap().push(line);
    }

    fn close(&mut self) {
        self.line(format!("closed with {} frames", self.frames));
    }
}

struct Listener {
    world: World,
    recorder: ActorRef<Recorder>,
}

#[actor]
impl Listener {
    fn join(world: World, recorder: ActorRef<Recorder>) -> Result<Listener, NetworkAway> {
        if *world.network_down.lock().unwrap() { Err(NetworkAway) } else { Ok(Listener { world, recorder }) }
    }

    async fn handle(&mut self, heard: Heard) -> Result<(), NetworkAway> {
        match heard {
            Heard::Frame(number) if !*self.world.network_down.lock().unwrap() => {
                let _ = self.recorder.tell(Write::Frame(number)).await;
                Ok(())
            }
            _ => Err(NetworkAway),
        }
    }
}

/// Watches the listener from within the session, and notes in the file when the listener is gone.
async fn note_the_gap(listener: ActorRef<Listener>, recorder: ActorRef<Recorder>) {
    if let Ok(ended @ (Ended::Limit(_) | Ended::Failed(_))) = listener.terminated().await {
        let _ = recorder.tell(Write::Gap(ended.to_string())).await;
    }
}

supervisor! {
    /// One meeting. Without a recorder there is no session; without a listener the session continues with less.
    struct Session(meeting: u32, world: World) {
        #![strategy(OneForOne)]

        let file = world.file(meeting);

        #[decider(_ => Escalate)]
        #[lifecycle(Permanent, drain, shutdown = 10s)]
        recorder: Recorder = Recorder { file, frames: 0 },

        #[decider(_ => Restart)]
        #[backoff(1s..30s, random_factor = 0)]
        #[limit(max_restarts = 4, within = 5min, on_limit = Stop)]
        listener: Listener = Listener::join(world, recorder)?,

        gap: task = note_the_gap(listener, recorder),
    }

    struct Service(world: World) {
        #![decider(_ => Stop)]
        meetings: [Session] = |meeting: u32| Session::tree(meeting, world),
    }
}

async fn hear(session: &Session, frames: std::ops::Range<u32>) {
    for number in frames {
        let _ = session.listener.tell(Heard::Frame(number)).await;
    }
    settle().await;
}

/// S14, S17: the listener is restarted with a backoff, alone: the recorder has the same file open all the time.
#[tokio::test(start_paused = true)]
async fn a_listener_that_comes_back_is_no_matter_for_the_recorder() {
    let world = World::default();
    let service = Service::start(world.clone()).await.unwrap();
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..3).await;
    session.listener.tell(Heard::Broken).await.unwrap();
    hear(&session, 3..5).await; // queued in the mailbox
    assert_eq!(world.lines(1), ["frame 0", "frame 1", "frame 2"]);
    pass(ms(1001)).await;
    assert_eq!(world.lines(1), ["frame 3", "frame 4"]);
    assert_eq!((session.listener.incarnation(), session.recorder.incarnation()), (2, 1));
    assert_eq!(session.recorder.ask(Write::Frames).await.unwrap(), 5, "the recorder keeps its state");
    service.shutdown().await;
    assert_eq!(world.lines(1), ["closed with 5 frames"]);
}

/// S15: at its limit the listener ends and nothing else: the session continues to record, and its file notes the
/// missing part.
#[tokio::test(start_paused = true)]
async fn a_network_that_stays_away_costs_the_listener_and_not_the_session() {
    let world = World::default();
    let service = Service::start(world.clone()).await.unwrap();
    let session = service.meetings.spawn(1).await.unwrap();
    hear(&session, 0..2).await;
    world.network(true);
    session.listener.tell(Heard::Broken).await.unwrap();
    pass(secs(60)).await; // 1 + 2 + 4 + 8 s, and the fifth failure is one too many
    assert!(matches!(session.listener.ended(), Some(Ended::Limit(_))), "{:?}", session.listener.ended());
    let lines = world.lines(1);
    assert_eq!(lines[..2], ["frame 0", "frame 1"]);
    assert!(lines.len() == 3 && lines[2].starts_with("gap: "), "{lines:?}");
    assert!(session.ended().is_none());
    session.recorder.tell(Write::Frame(77)).await.unwrap(); // a participant by telephone
    service.shutdown().await;
    assert_eq!(world.lines(1), ["frame 77", "closed with 3 frames"]);
}

/// S8, S20, S27: a recorder that cannot write ends its session at once, with the reason, and no other session.
#[tokio::test(start_paused = true)]
async fn a_recorder_that_cannot_write_ends_its_own_session() {
    let world = World::default();
    let service = Service::start(world.clone()).await.unwrap();
    let (one, two) = (service.meetings.spawn(1).await.unwrap(), service.meetings.spawn(2).await.unwrap());
    hear(&one, 0..2).await;
    one.recorder.tell(Write::DiskFull).await.unwrap();
    let report = one.join().await.unwrap();
    let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
    assert!(failure.error::<DiskFull>().is_some());
    assert!(one.listener.ended().is_some(), "the listener went down before the recorder");
    assert_eq!(world.lines(1), ["frame 0", "frame 1", "closed with 2 frames"], "the file is closed");
    hear(&two, 0..4).await;
    assert_eq!(two.recorder.ask(Write::Frames).await.unwrap(), 4);
    assert_eq!(service.meetings.len(), 1);
}

/// S24: at a stop the listener goes first, and the recorder writes down everything that it has received before it
/// closes (`drain`).
#[tokio::test(start_paused = true)]
async fn every_frame_that_was_taken_is_in_the_file_after_a_stop() {
    let world = World::default();
    let service = Service::start(world.clone()).await.unwrap();
    for meeting in 0..20 {
        let session = service.meetings.spawn(meeting).await.unwrap();
        for number in 0..meeting {
            session.recorder.try_tell(Write::Frame(number)).unwrap();
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
