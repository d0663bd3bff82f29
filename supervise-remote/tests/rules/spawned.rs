//! S56: a remote child that is spawned at run time belongs to the set that declares it, and not to the actor that has spawned it.

use serde::{Deserialize, Serialize};
use supervise::BoxError;
use supervise::prelude::*;
use supervise_remote::{Far, RemoteRef};

use crate::world::*;

struct Job(String);

#[derive(Serialize, Deserialize)]
enum JobMsg {
    Name(Reply<String>),
    Fail,
}

#[actor]
impl Job {
    fn handle(&mut self, msg: JobMsg) -> Result<(), BoxError> {
        match msg {
            JobMsg::Name(reply) => reply.send(self.0.clone()),
            JobMsg::Fail => return Err("as asked".into()),
        }
        Ok(())
    }
}

/// Runs where the tree does, and starts jobs on the nodes.
struct Boss {
    jobs: Children<Far<Job>, (String,)>,
    ended: Vec<String>,
    /// The jobs that go with it.
    own: Vec<RemoteRef<Job>>,
}

#[derive(Serialize, Deserialize)]
enum BossMsg {
    Start { name: String, own: bool, reply: Reply<RemoteRef<Job>> },
    Ended(Reply<Vec<String>>),
    Fail,
}

#[actor]
impl Boss {
    async fn handle(&mut self, msg: BossMsg, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            BossMsg::Start { name, own, reply } => {
                let job = self.jobs.spawn(name).await?;
                cx.watch(&job.any().expect("at the owner"));
                self.own.extend(own.then(|| job.clone()));
                reply.send(job);
            }
            BossMsg::Ended(reply) => reply.send(self.ended.clone()),
            BossMsg::Fail => return Err("as asked".into()),
        }
        Ok(())
    }

    #[terminated]
    fn terminated(&mut self, _: &Watched, ended: &Ended) {
        self.ended.push(ended.to_string());
    }

    #[pre_restart]
    fn pre_restart(&mut self, _: &Failure) {
        self.own.drain(..).for_each(|job| job.stop());
    }

    #[post_stop]
    fn post_stop(&mut self) {
        self.own.drain(..).for_each(|job| job.stop());
    }
}

/// Runs on a node.
struct Clerk {
    boss: RemoteRef<Boss>,
}

#[derive(Serialize, Deserialize)]
struct Needs(String, Reply<(RemoteRef<Job>, String)>);

#[actor]
impl Clerk {
    async fn handle(&mut self, Needs(name, reply): Needs) -> Result<(), BoxError> {
        let job = self.boss.ask(|reply| BossMsg::Start { name, own: false, reply }).await?;
        let name = job.ask(JobMsg::Name).await?;
        reply.send((job, name));
        Ok(())
    }
}

supervisor! {
    struct Office {
        #![on("worker", lease = 2s)]

        #[lifecycle(Temporary, shutdown = 1s)]
        jobs: [remote Job] = |name: String| Job(name),

        boss: Boss = Boss { jobs, ended: Vec::new(), own: Vec::new() },

        #[lifecycle(Permanent, shutdown = 1s)]
        clerk: remote Clerk = Clerk { boss },
    }
}

async fn office() -> (Cluster, Running<Office>) {
    let mut cluster = Cluster::new();
    cluster.node("one", Office::node("worker"));
    let office = Office::tree().on(cluster.owner()).start().await.unwrap();
    (cluster, office)
}

async fn start(office: &Office, name: &str, own: bool) -> RemoteRef<Job> {
    let name = name.to_owned();
    office.boss.ask(move |reply| BossMsg::Start { name, own, reply }).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_remote_child_outlives_a_restart_of_the_actor_that_has_spawned_it() {
    let (_cluster, office) = office().await;
    let (job, own) = (start(&office, "a", false).await, start(&office, "b", true).await);
    office.boss.tell(BossMsg::Fail).await.unwrap();
    until("the boss is up again", || office.boss.incarnation() == 2).await;
    assert_eq!(job.ask(JobMsg::Name).await.unwrap(), "a");
    assert_eq!(job.incarnation(), Some(1));
    // The boss has stopped this one itself.
    assert!(matches!(own.terminated().await, Ok(Ended::Stopped)));
    let own = start(&office, "c", true).await;
    office.boss.stop();
    assert!(matches!(own.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(job.ask(JobMsg::Name).await.unwrap(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_a_remote_child_is_no_failure_of_the_actor_that_has_spawned_it() {
    let (_cluster, office) = office().await;
    let job = start(&office, "a", false).await;
    job.tell(JobMsg::Fail).await.unwrap();
    assert!(matches!(job.terminated().await, Ok(Ended::Failed(_))));
    let ended = office.boss.ask(BossMsg::Ended).await.unwrap();
    assert!(ended.len() == 1 && ended[0].contains("as asked"), "a watch tells it: {ended:?}");
    assert_eq!(office.boss.incarnation(), 1);
}

/// S61: the reference in the answer leads to the job, from the node too.
#[tokio::test(start_paused = true)]
async fn an_actor_on_a_node_spawns_by_asking_one_where_the_tree_runs() {
    let (cluster, office) = office().await;
    let (job, name) = office.clerk.ask(|reply| Needs("c".to_owned(), reply)).await.unwrap();
    assert_eq!((job.ask(JobMsg::Name).await.unwrap(), name), ("c".to_owned(), "c".to_owned()));
    assert_eq!(cluster.name_of(&job.node().unwrap()), "one");
}
