use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use supervise::prelude::*;
use tokio::net::TcpListener;

use crate::config::Current;

/// Serves `/health`, `/tree` as a text, and the console at `/console`.
pub async fn serve(cx: TaskContext, config: Current, tree: TreeRef) -> io::Result<()> {
    let address = config.borrow().http;
    let socket = TcpListener::bind(address).await?;
    let (of_health, of_tree) = (tree.clone(), tree.clone());
    let console = supervise_console::Console::new(tree).router().map_err(io::Error::other)?;
    let router = Router::new()
        .route("/health", get(async move || health(&of_health)))
        .route("/tree", get(async move || of_tree.snapshot().render().to_string()))
        .nest_service("/console", console);
    cx.ready();
    let stopped = async move {
        cx.stopped().await;
    };
    axum::serve(socket, router.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(stopped)
        .await
}

/// 200 while the service can serve.
fn health(tree: &TreeRef) -> (StatusCode, String) {
    let health = tree.health();
    let code = if health.is_up() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, format!("{health}\n"))
}
