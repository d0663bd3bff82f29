//! A chain: a pool, a database on it, a cache for the database, a site that asks the cache.
//!
//! Proves RestForOne with siblings as arguments (S17, S2): the children after a failed one are created again, in order
//! and with the handles of the earlier siblings, which are not touched; every handle that was given out stays valid.

use supervise::prelude::*;

use crate::common::{Boom, Journal, settle};

/// Adds its name to the answer of the sibling in front.
struct Link {
    name: &'static str,
    front: Option<ActorRef<Link>>,
    journal: Journal,
}

enum LinkMsg {
    Route(Reply<String>),
    Fail,
}

impl Link {
    /// A start that asks the sibling in front, which already serves.
    async fn open(name: &'static str, front: Option<&ActorRef<Link>>, journal: Journal) -> Result<Link, Boom> {
        let route = match front {
            Some(front) => front.ask(LinkMsg::Route).await.map_err(|_| Boom::Planned)?,
            None => "nothing".into(),
        };
        journal.write(format!("{name} on {route}"));
        Ok(Link { name, front: front.cloned(), journal })
    }
}

#[actor]
impl Link {
    async fn handle(&mut self, msg: LinkMsg) -> Result<(), Boom> {
        match msg {
            LinkMsg::Route(reply) => {
                let front = match &self.front {
                    Some(front) => front.ask(LinkMsg::Route).await.map_err(|_| Boom::Planned)?,
                    None => String::new(),
                };
                reply.send(format!("{front}/{}", self.name));
                Ok(())
            }
            LinkMsg::Fail => Err(Boom::Told),
        }
    }

    #[post_stop]
    fn closed(&mut self) {
        self.journal.write(format!("{} closed", self.name));
    }
}

supervisor! {
    struct Chain(journal: Journal) {
        #![strategy(RestForOne, max_restarts = 10, within = 1s)]
        pool: Link = Link::open("pool", None, journal).await?,
        db: Link = Link::open("db", Some(&pool), journal).await?,
        cache: Link = Link::open("cache", Some(&db), journal).await?,
        site: Link = Link::open("site", Some(&cache), journal).await?,
    }
}

#[tokio::test(start_paused = true)]
async fn children_after_a_failure_are_wired_again_and_those_before_are_untouched() {
    let journal = Journal::default();
    let chain = Chain::start(journal.clone()).await.unwrap();
    assert_eq!(journal.take(), ["pool on nothing", "db on /pool", "cache on /pool/db", "site on /pool/db/cache"]);
    let site = chain.site.clone();
    let cases: [(&ActorRef<Link>, &[&str], [u32; 4]); 3] = [
        (&chain.cache, &["site closed", "cache closed", "cache on /pool/db", "site on /pool/db/cache"], [1, 1, 2, 2]),
        (&chain.site, &["site closed", "site on /pool/db/cache"], [1, 1, 2, 3]),
        (
            &chain.db,
            &["site closed", "cache closed", "db closed", "db on /pool", "cache on /pool/db", "site on /pool/db/cache"],
            [1, 2, 3, 4],
        ),
    ];
    for (who, trace, incarnations) in cases {
        who.tell(LinkMsg::Fail).await.unwrap();
        assert_eq!(site.ask(LinkMsg::Route).await.unwrap(), "/pool/db/cache/site", "through the first handle");
        settle().await;
        assert_eq!(journal.take(), trace);
        let all = [&chain.pool, &chain.db, &chain.cache, &chain.site];
        assert_eq!(all.map(ActorRef::incarnation), incarnations);
    }
}
