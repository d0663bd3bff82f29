use supervise_remote_zenoh::{OpenError, Settings, Zenoh};

use crate::common::*;

/// The connections have threads of their own: those of the user may be few, or blocked.
#[tokio::test(flavor = "current_thread")]
async fn connections_need_no_thread_of_the_user() {
    let port = port();
    let lease = millis(300);
    let quick = |settings: Settings| settings.lease(lease);
    let Two { mut owner, mut node, .. } =
        pair(quick(settings("a").listen(here(port))), quick(settings("b").connect(here(port)))).await;
    std::thread::sleep(5 * lease);
    talk(&mut owner, &mut node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_address_in_use_is_named() {
    let (free, taken) = (port(), port());
    let _listener = std::net::TcpListener::bind(("127.0.0.1", taken)).unwrap();
    let listen = [format!("127.0.0.1:{free}"), format!("127.0.0.1:{taken}")];
    let error = Zenoh::open(settings("a").listen(listen)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the address 127.0.0.1:{taken} is in use; choose another one, or end the process that listens there")
    );
    // Nothing stays open.
    let _ = open(settings("a").listen(here(free))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_address_of_another_machine_is_named() {
    let error = Zenoh::open(settings("a").listen(["192.0.2.1:7447"]).insecure()).await.unwrap_err();
    assert!(matches!(error, OpenError::Listen { .. }) && error.to_string().contains("192.0.2.1"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn off_loopback_only_with_tls_or_the_word() {
    let open_address = format!("0.0.0.0:{}", port());
    let error = Zenoh::open(settings("a").listen([&open_address])).await.unwrap_err();
    assert!(matches!(error, OpenError::Unprotected { .. }), "{error}");
    let port = open_address.rsplit(':').next().unwrap().parse().unwrap();
    let Two { mut owner, mut node, .. } =
        pair(settings("a").listen([&open_address]).insecure(), settings("b").connect(here(port))).await;
    talk(&mut owner, &mut node).await;
}

/// An owner may come later than its nodes, and no address has to answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_connects_may_be_first() {
    let port = port();
    let node = within(millis(2000), open(settings("node").connect(here(port)))).await;
    let mut node = join(&node, supervise_remote::wire::Side::Node).await;
    node.quiet(millis(300)).await;
    let owner = open(Settings::new("owner").listen(here(port))).await;
    let mut owner = join(&owner, supervise_remote::wire::Side::Owner).await;
    assert_eq!(node.up().await, *owner.me());
    assert_eq!(owner.up().await, *node.me());
    talk(&mut owner, &mut node).await;
}
