//! A chat server: sessions that come and go, and a directory that lists those present.
//!
//! Proves that death watch keeps a list correct (S37): the directory is notified once of every session that ends,
//! whether the session leaves, fails for good or is killed; not of a session that is restarted; and also after the
//! directory's own restart.

use std::collections::BTreeMap;

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, settle};

struct Directory {
    present: BTreeMap<String, ActorRef<Probe>>,
    journal: Journal,
}

enum DirectoryMsg {
    Enter(ActorRef<Probe>),
    List(Reply<Vec<String>>),
    Fail,
}

#[actor]
impl Directory {
    fn new(journal: Journal) -> Self {
        Directory { present: BTreeMap::new(), journal }
    }

    async fn handle(&mut self, msg: DirectoryMsg, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            DirectoryMsg::Enter(session) => {
                cx.watch(&session);
                self.present.insert(session.path(), session);
            }
            DirectoryMsg::List(reply) => reply.send(self.present.keys().cloned().collect()),
            DirectoryMsg::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    #[terminated]
    fn left(&mut self, who: &Watched, ended: &Ended) {
        let known = self.present.remove(who.path()).is_some_and(|session| *who == session);
        let why = match ended {
            Ended::Done => "left",
            Ended::Limit(_) => "failed too often",
            Ended::Killed => "was thrown out",
            _ => "went otherwise",
        };
        self.journal.write(format!("{} {why}{}", who.path(), if known { "" } else { ", before my time" }));
    }
}

supervisor! {
    struct Chat(journal: Journal) {
        directory: Directory = Directory::new(journal),
        #[limit(max_restarts = 1, within = 1h)]
        sessions: [Probe] = |_name: &'static str| Probe::start("session", Journal::default()).await?,
    }
}

async fn list(chat: &Chat) -> Vec<String> {
    settle().await;
    chat.directory.ask(DirectoryMsg::List).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_directory_lists_the_present_sessions() {
    let journal = Journal::default();
    let chat = Chat::start(journal.clone()).await.unwrap();
    let mut sessions = Vec::new();
    for name in ["ann", "bob", "cid", "dan"] {
        let session = chat.sessions.spawn(name).await.unwrap();
        chat.directory.tell(DirectoryMsg::Enter(session.clone())).await.unwrap();
        sessions.push(session);
    }
    assert_eq!(list(&chat).await.len(), 4);
    sessions[0].tell(Do::Stop).await.unwrap();
    sessions[1].tell(Do::Fail(Boom::Told)).await.unwrap();
    sessions[2].kill();
    assert_eq!(list(&chat).await, ["sessions/#2", "sessions/#4"], "the second was only restarted");
    let mut heard = journal.take();
    heard.sort();
    assert_eq!(heard, ["sessions/#1 left", "sessions/#3 was thrown out"]);

    chat.directory.tell(DirectoryMsg::Fail).await.unwrap();
    assert_eq!(list(&chat).await, [""; 0], "fresh state");
    sessions[1].tell(Do::Fail(Boom::Told)).await.unwrap();
    list(&chat).await;
    assert_eq!(journal.take(), ["sessions/#2 failed too often, before my time"]);
}
