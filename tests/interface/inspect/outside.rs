//! The texts for the supervisor outside of the program: the unit of systemd and the probes of a pod (S52).

use std::path::Path;
use std::time::Duration;

use saphyr::{LoadableYamlNode, Yaml};
use supervise::prelude::*;

use crate::common::{Journal, Probe};

supervisor! {
    /// Keeps 100 % of the shop alive. \ A second sentence,
    /// in a second line.
    struct CornerShop(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 20s)]
        db: Probe = Probe::start("db", journal).await?,
        below: struct Below {
            #[lifecycle(Permanent, shutdown = 1500ms)]
            cart: Probe = Probe::start("cart", journal).await?,
        },
    }
}

supervisor! {
    struct Endless(journal: Journal, grace: Duration) {
        #[lifecycle(Permanent, shutdown = Infinity)]
        archive: Probe = Probe::start("archive", journal).await?,
        plain: Probe = Probe::start("plain", journal).await?,
        below: struct Cellar {
            #[lifecycle(Permanent, shutdown = grace)]
            wine: Probe = Probe::start("wine", journal).await?,
            limited: struct Limited {
                #![shutdown(3s)]
                #[lifecycle(Permanent, shutdown = Infinity)]
                cork: Probe = Probe::start("cork", journal).await?,
            },
            computed: struct Computed {
                #![shutdown(grace)]
                label: Probe = Probe::start("label", journal).await?,
            },
        },
        branches: [CornerShop] = || CornerShop::tree(journal),
        endless: [Endless] = || Endless::tree(journal, grace),
    }
}

supervisor! {
    struct AtOnce(journal: Journal) {
        #[lifecycle(Permanent, shutdown = Kill)]
        cache: Probe = Probe::start("cache", journal).await?,
    }
}

/// Compares a text with its file; `UPDATE=1` writes the file.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/outside").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let file = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(text, file, "{}; UPDATE=1 writes it", path.display());
}

/// S52: the unit has the time that the declaration needs, rounded up, and a margin. `verify/units/run.sh` shows it to
/// `systemd-analyze`.
#[test]
fn the_unit_has_the_declared_time() {
    golden("corner-shop.service", &CornerShop::SPEC.systemd_unit().to_string());
    let other = CornerShop::SPEC.systemd_unit().exec("/bin/true --port 80").watchdog(Duration::from_millis(1500));
    let text = other.margin(Duration::ZERO).to_string();
    for line in ["ExecStart=/bin/true --port 80", "WatchdogSec=1500ms", "TimeoutStopSec=22s"] {
        assert_eq!(text.lines().filter(|other| *other == line).count(), 1, "{line}: {text}");
    }
    let none = CornerShop::SPEC.systemd_unit().watchdog(Duration::ZERO).to_string();
    assert!(!none.contains("Watchdog"), "{none}");
}

/// S52: systemd takes `TimeoutStopSec=0` for a stop without a limit, and Kubernetes a grace of 0 s for a kill.
#[test]
fn a_stop_that_takes_no_time_has_a_second() {
    let unit = AtOnce::SPEC.systemd_unit().margin(Duration::ZERO).to_string();
    assert!(unit.contains("\nTimeoutStopSec=1s\n") && unit.contains("TIMEOUT_STOP_SEC=1\n"), "{unit}");
    let pod = AtOnce::SPEC.pod_snippet().margin(Duration::ZERO).to_string();
    assert!(pod.contains("  terminationGracePeriodSeconds: 1\n"), "{pod}");
}

/// S52: if the declaration does not limit the time, the text says which children are the cause, and no time is made up.
#[test]
fn an_unlimited_time_is_explained() {
    golden("endless.service", &Endless::SPEC.systemd_unit().to_string());
    let pod = Endless::SPEC.pod_snippet().to_string();
    golden("endless.yaml", &pod);
    for text in [Endless::SPEC.systemd_unit().to_string(), pod] {
        let causes: Vec<_> = text.lines().filter_map(|line| line.trim_start().strip_prefix("#   ")).collect();
        assert_eq!(
            causes,
            [
                "archive: `shutdown = Infinity`",
                "below/wine: its `shutdown` is computed when the tree starts",
                "below/computed: `#![shutdown(..)]` is computed when the tree starts",
                "branches: a set of trees, without a `shutdown` of its own",
                "endless: a set of trees, without a `shutdown` of its own",
            ]
        );
        assert!(!text.lines().any(|line| line.trim_start().starts_with("TimeoutStopSec")), "{text}");
    }
}

/// S52: the snippet is YAML, with the probes and the time.
#[test]
fn the_snippet_of_a_pod_is_yaml() {
    let text = CornerShop::SPEC.pod_snippet().to_string();
    golden("corner-shop.yaml", &text);
    let pod = &Yaml::load_from_str(&text).unwrap()[0];
    let spec = &pod["spec"];
    assert_eq!(spec["terminationGracePeriodSeconds"].as_integer(), Some(32)); // 21.5 s and 10 s
    let container = &spec["containers"][0];
    assert_eq!(container["name"].as_str(), Some("corner-shop"));
    assert_eq!(container["ports"][0]["containerPort"].as_integer(), Some(8080));
    for (probe, path) in [("startupProbe", "/startupz"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")] {
        assert_eq!(container[probe]["httpGet"]["path"].as_str(), Some(path));
        assert_eq!(container[probe]["httpGet"]["port"].as_str(), Some("probes"));
        assert!(container[probe]["failureThreshold"].as_integer().is_some_and(|times| times > 0));
    }

    let pod = CornerShop::SPEC.pod_snippet().name("a: \"b\"\n#").image("example.org/shop:1").port(9000);
    let text = pod.margin(Duration::from_secs(60)).to_string();
    let pod = &Yaml::load_from_str(&text).unwrap()[0]["spec"];
    assert_eq!(pod["terminationGracePeriodSeconds"].as_integer(), Some(82));
    assert_eq!(pod["containers"][0]["name"].as_str(), Some("a: \"b\" #"));
    assert_eq!(pod["containers"][0]["image"].as_str(), Some("example.org/shop:1"));
    assert_eq!(pod["containers"][0]["ports"][0]["containerPort"].as_integer(), Some(9000));

    let endless = &Yaml::load_from_str(&Endless::SPEC.pod_snippet().to_string()).unwrap()[0]["spec"];
    assert!(endless.as_mapping_get("terminationGracePeriodSeconds").is_none());
    assert_eq!(endless["containers"][0]["name"].as_str(), Some("endless"));
}
