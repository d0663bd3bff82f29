//! Servers that are no console, or a strange one.

use std::time::Duration;

use supervise_top::address::Address;
use supervise_top::client::{Client, Error};
use supervise_top::shell::{News, follow};
use supervise_top::wire::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

const BOUND: Duration = Duration::from_secs(20);

/// A server that gives each request the next of these answers, and closes. Returns what it was asked.
async fn server(answers: Vec<Vec<u8>>) -> (Address, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string().parse().unwrap();
    let (tell, asked) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let _ = tell.send(String::from_utf8_lossy(&request[..length]).into_owned());
            // In small pieces, as a network may carry it.
            for piece in answer.chunks(7) {
                if stream.write_all(piece).await.is_err() {
                    break;
                }
                let _ = stream.flush().await;
            }
        }
    });
    (address, asked)
}

fn http(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn stream(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{body}").into_bytes()
}

#[tokio::test]
async fn something_else_is_no_console() {
    for (answer, problem) in [
        (http("200 OK", "<html>"), "its info.json is something else"),
        (http("404 Not Found", "<html>"), "it answers 404 Not Found"),
        (http("302 Found", ""), "it answers 302 Found"),
        (http("403 Forbidden", r#"{"error":"only from this machine"}"#), "only from this machine"),
        (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "broke off"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".to_vec(), "broke off"),
        (Vec::new(), "broke off"),
    ] {
        let (address, _asked) = server(vec![answer]).await;
        let error = Client::new(address, None, None).info().await.unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
    let nobody = Client::new("127.0.0.1:1".parse().unwrap(), None, None).info().await.unwrap_err();
    assert!(
        matches!(nobody, Error::Connect { .. }) && nobody.to_string().contains("is the program running?"),
        "{nobody}"
    );
}

/// The token goes to the console only, in the header that the protocol names.
#[tokio::test]
async fn a_token_is_in_one_header_only() {
    use supervise_top::app::{Ask, Operation};
    use supervise_top::client::Secret;
    let info = http("200 OK", r#"{"name":"Shop","look":"token","control":true,"version":"1","protocol":1}"#);
    let (mut address, mut asked) =
        server(vec![info, http("200 OK", "{}"), http("200 OK", "{}"), http("200 OK", "{}")]).await;
    address.prefix = "/ops/console".to_owned();
    let secret = |text: &str| Some(Secret::new(text).unwrap());
    let client = Client::new(address, secret("look-look-look-look"), secret("control-control"));
    client.info().await.unwrap();
    client.ask(&Ask::Detail("a b/ü%2F&x=1".to_owned())).await.unwrap();
    let set = Ask::Set {
        path: "s".into(),
        from: 100,
        count: 18,
        state: Some("backing_off"),
        name: "a&b".into(),
        sort: "name",
    };
    client.ask(&set).await.unwrap();
    client
        .ask(&Ask::Control { path: "a\"b".into(), operation: Operation::StartAgain, by: "kim".into() })
        .await
        .unwrap();
    let mut next = async || timeout(BOUND, asked.recv()).await.unwrap().unwrap();

    let info = next().await;
    assert!(info.starts_with("GET /ops/console/info.json HTTP/1.1\r\n"), "{info}");
    assert!(!info.to_lowercase().contains("authorization"), "{info}");
    let detail = next().await;
    assert!(detail.starts_with("GET /ops/console/detail.json?path=a%20b%2F%C3%BC%252F%26x%3D1 HTTP"), "{detail}");
    assert!(detail.contains("authorization: Bearer look-look-look-look\r\n"), "{detail}");
    let set = next().await;
    assert!(
        set.starts_with(
            "GET /ops/console/set.json?path=s&from=100&count=18&sort=name&state=backing_off&name=a%26b HTTP"
        ),
        "{set}"
    );
    let control = next().await;
    assert!(control.starts_with("POST /ops/console/control HTTP"), "{control}");
    assert!(
        control.contains("authorization: Bearer control-control\r\n") && !control.contains("look-look"),
        "{control}"
    );
    assert!(control.contains("content-type: application/json\r\n"), "{control}");
    let body: serde_json::Value = serde_json::from_str(control.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body, serde_json::json!({ "path": "a\"b", "operation": "start_again", "confirm": "a\"b", "by": "kim" }));
}

/// A snapshot follows a gap, unknown kinds are passed over, and what cannot be read is told; then it connects again.
#[tokio::test]
async fn a_strange_stream_is_followed() {
    let first = "event: snapshot\ndata: {\"at_ms\":5,\"root\":{\"path\":\"Shop\"}}\n\n: beat\n\nevent: weather\ndata: sunny\n\nevent: delta\ndata: {\n\nevent: gap\ndata: {\"missed\":3}\n\nevent: snapshot\ndata: {\"at_ms\":9,\"root\":{\"path\":\"Shop\"}}\n\nevent: del";
    let second = "event: snapshot\ndata: {\"at_ms\":20,\"root\":{\"path\":\"Shop\"}}\n\nevent: end\ndata: {\"ended\":{\"why\":\"stopped\"}}\n\n";
    let refused = http("503 Service Unavailable", r#"{"error":"too many viewers look on"}"#);
    let (address, _asked) = server(vec![stream(first), refused, stream(second)]).await;
    let (tell, mut news) = mpsc::channel(8);
    tokio::spawn(follow(Client::new(address, None, None), tell));
    let mut told = Vec::new();
    while told.len() < 9 {
        told.push(match timeout(BOUND, news.recv()).await.unwrap().unwrap() {
            News::Message(Message::Snapshot { at_ms, .. }) => format!("snapshot {at_ms}"),
            News::Message(Message::Gap(missed)) => format!("gap {missed}"),
            News::Message(Message::End(ended)) => format!("end {}", ended.unwrap().why),
            News::Message(other) => panic!("{other:?}"),
            News::Unreadable(_) => "unreadable".to_owned(),
            News::Lost(why, pause) => format!("{why}, {pause:?}"),
        });
    }
    let expected = [
        "snapshot 5",
        "unreadable",
        "gap 3",
        "snapshot 9",
        "the console has closed the connection, 500ms",
        "too many viewers look on, 1s",
        "snapshot 20",
        "end stopped",
        "the tree has ended, 5s",
    ];
    assert_eq!(told, expected);
}
