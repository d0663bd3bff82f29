//! The files of docs/kubernetes: they fit into the types of the API, into each other, and into what this crate and the
//! declaration of a tree ask for. Nothing is asked of a cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec, PodTemplateSpec, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use supervise::prelude::*;
use supervise_remote::wire::{Rights, Side, Wire};
use supervise_remote_zenoh::{Settings, Zenoh};

struct Pricing {
    factor: u32,
}

#[derive(Serialize, Deserialize)]
struct Quote(u32, Reply<u32>);

#[actor]
impl Pricing {
    fn handle(&mut self, Quote(item, reply): Quote) {
        reply.send(item * self.factor);
    }
}

supervisor! {
    /// The tree of the page, with a task in place of the server of the probes.
    struct Shop(factor: u32) {
        health: task = |cx| async move { cx.stopped().await },
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing { factor },
    }
}

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn documents(yaml: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(yaml).unwrap()
}

/// Reads an object of the API. A field that its type does not have would be missing in what is written again.
fn fits<T: Serialize + for<'de> Deserialize<'de>>(document: &Value) -> Result<T, String> {
    let object: T = serde_json::from_value(document.clone()).map_err(|error| error.to_string())?;
    let again = serde_json::to_value(&object).map_err(|error| error.to_string())?;
    if again == *document { Ok(object) } else { Err(format!("{document:#} is {again:#} for the API")) }
}

/// All objects of the files, in their order.
struct Files {
    owners: Service,
    owner: StatefulSet,
    nodes: Service,
    node: Deployment,
    budget: PodDisruptionBudget,
}

impl Files {
    fn read() -> Files {
        let [owner, nodes] = ["owner", "nodes"].map(|name| documents(&read(&format!("kubernetes/{name}.yaml"))));
        let ([owners, owner], [nodes, node, budget]) = (&owner[..], &nodes[..]) else { panic!("other objects") };
        Files {
            owners: fits(owners).unwrap(),
            owner: fits(owner).unwrap(),
            nodes: fits(nodes).unwrap(),
            node: fits(node).unwrap(),
            budget: fits(budget).unwrap(),
        }
    }

    fn templates(&self) -> [(&'static str, &PodTemplateSpec); 2] {
        let of_node = &self.node.spec.template;
        [("owner", &self.owner.spec.template), ("nodes", of_node)]
    }

    fn pods(&self) -> [(&'static str, &PodSpec); 2] {
        self.templates().map(|(name, template)| (name, template.spec.as_ref().unwrap()))
    }
}

fn container(pod: &PodSpec) -> &Container {
    let [container] = &pod.containers[..] else { panic!("one container") };
    container
}

/// The variables that the container has in a pod of this name.
fn vars(pod: &PodSpec, name: &str) -> BTreeMap<String, String> {
    let value = |var: &EnvVar| match (&var.value, &var.value_from) {
        (Some(value), None) => value.clone(),
        (None, Some(from)) if from.field_ref.as_ref().is_some_and(|of| of.field_path == "metadata.name") => {
            name.to_owned()
        }
        other => panic!("{other:?} is read by nobody here"),
    };
    let vars = container(pod).env.iter().flatten();
    let found: BTreeMap<_, _> = vars.clone().map(|var| (var.name.clone(), value(var))).collect();
    assert_eq!(found.len(), vars.count(), "a variable is there twice");
    found
}

fn labels(template: &PodTemplateSpec) -> &BTreeMap<String, String> {
    template.metadata.as_ref().unwrap().labels.as_ref().unwrap()
}

fn port(pod: &PodSpec, name: &str) -> Option<i32> {
    container(pod)
        .ports
        .iter()
        .flatten()
        .find(|port| port.name.as_deref() == Some(name))
        .map(|port| port.container_port)
}

#[test]
fn each_object_fits_into_the_types_of_the_api() {
    Files::read();
    // A name that the API does not know is noticed, and so is a value of another type.
    let owner = &documents(&read("kubernetes/owner.yaml"))[1];
    for (old, new) in [("serviceName", "servceName"), ("\"replicas\":1", "\"replicas\":\"1\""), ("apps/v1", "apps/v2")]
    {
        let text = owner.to_string();
        assert!(text.contains(old), "{old}");
        assert!(fits::<StatefulSet>(&serde_json::from_str(&text.replace(old, new)).unwrap()).is_err(), "{new}");
    }
}

#[test]
fn each_variable_is_known_and_the_settings_are_valid() {
    let files = Files::read();
    let names = ["shop-owner-0", "shop-nodes-6d4cf56db6-x7k2p"];
    for ((file, pod), name) in files.pods().into_iter().zip(names) {
        let vars = vars(pod, name);
        assert!(vars.keys().all(|of| of.starts_with("SUPERVISE_")), "{file}: {vars:?}");
        let read = Settings::from_vars("SUPERVISE_", vars.clone()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let tls = ["CERT", "KEY", "CA"].map(|of| &vars[&format!("SUPERVISE_TLS_{of}")]);
        let side = if file == "owner" {
            Settings::new(name).connect([&vars["SUPERVISE_CONNECT"]])
        } else {
            Settings::new(name).listen([&vars["SUPERVISE_LISTEN"]])
        };
        let written = side.network(&vars["SUPERVISE_NETWORK"]).tls(tls[0], tls[1], tls[2]);
        // The variables of the lease and of the longest message show the defaults.
        assert_eq!(format!("{read:?}"), format!("{written:?}"), "{file}");
    }
}

#[test]
fn the_owner_connects_to_the_headless_service_of_the_nodes() {
    let files = Files::read();
    let [(_, owner), (_, node)] = files.pods();
    let (dialed, listened) = (vars(owner, "a"), vars(node, "b"));
    let service = files.nodes.spec.as_ref().unwrap();
    let name = files.nodes.metadata.name.as_deref().unwrap();
    let [of] = service.ports.as_deref().unwrap() else { panic!("one port") };
    assert_eq!(service.cluster_ip.as_deref(), Some("None"), "a name with several addresses");
    assert_eq!(dialed["SUPERVISE_CONNECT"], format!("{name}:{}", of.port));
    // A headless service translates no ports, so all three are one.
    assert_eq!(of.target_port, Some(IntOrString::String("link".into())));
    assert_eq!(port(node, "link"), Some(of.port));
    assert_eq!(listened["SUPERVISE_LISTEN"], format!("0.0.0.0:{}", of.port));
    for same in ["SUPERVISE_NETWORK", "SUPERVISE_MAX_FRAME"] {
        assert_eq!(dialed[same], listened[same], "{same}");
    }
    assert_eq!(container(owner).image, container(node).image);
    let args = [owner, node].map(|pod| container(pod).args.clone().unwrap());
    assert_eq!(args, [["owner"], ["node"]]);
}

#[test]
fn each_selector_selects_the_pods_of_its_file() {
    let files = Files::read();
    let [(_, owner), (_, node)] = files.templates();
    assert_ne!(labels(owner), labels(node));
    let of = |selector: &LabelSelector| selector.match_labels.clone().unwrap();
    let (set, deployment) = (&files.owner.spec, &files.node.spec);
    assert_eq!(of(&set.selector), *labels(owner));
    assert_eq!(of(&deployment.selector), *labels(node));
    assert_eq!(files.owners.spec.as_ref().unwrap().selector.as_ref().unwrap(), labels(owner));
    assert_eq!(files.nodes.spec.as_ref().unwrap().selector.as_ref().unwrap(), labels(node));
    assert_eq!(of(files.budget.spec.as_ref().unwrap().selector.as_ref().unwrap()), *labels(node));
    for spread in node.spec.as_ref().unwrap().topology_spread_constraints.iter().flatten() {
        assert_eq!(of(spread.label_selector.as_ref().unwrap()), *labels(node));
    }
    assert_eq!(set.service_name, files.owners.metadata.name);
    assert_eq!(set.replicas, Some(1), "one owner at a time");
}

#[test]
fn the_files_of_tls_come_from_a_secret_that_the_process_may_read() {
    for (file, pod) in Files::read().pods() {
        let vars = vars(pod, "a");
        let volumes = pod.volumes.as_ref().unwrap();
        let mounts = container(pod).volume_mounts.as_ref().unwrap();
        let mount = mounts.iter().find(|mount| mount.name == "tls").unwrap();
        // Otherwise the files would not change with the Secret.
        assert_eq!(mount.sub_path, None, "{file}");
        for of in ["CERT", "KEY", "CA"] {
            let path = Path::new(&vars[&format!("SUPERVISE_TLS_{of}")]);
            assert_eq!(path.parent(), Some(Path::new(&mount.mount_path)), "{file}");
            let secret = volumes.iter().find(|volume| volume.name == "tls").unwrap().secret.as_ref().unwrap();
            let name = secret.secret_name.as_deref().unwrap();
            assert_eq!(name, format!("shop-{file}-tls"));
            assert_eq!(secret.default_mode, Some(0o440), "{file}");
        }
        assert!(pod.security_context.as_ref().unwrap().fs_group.is_some(), "{file}");
        // The sockets of the connections need a folder.
        assert!(mounts.iter().any(|mount| mount.mount_path == "/tmp"), "{file}");
        assert!(mounts.iter().all(|mount| volumes.iter().any(|volume| volume.name == mount.name)), "{file}");
    }
}

/// Runs the commands of the page that make the certificates. Returns, for each Secret, where its files come from.
fn certificates(folder: &Path) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let page = read("remote.md").replace("\\\n", " ");
    let section = page.split("\n## ").find(|section| section.starts_with("Kubernetes\n")).unwrap();
    let mut secrets = BTreeMap::new();
    for line in section.lines() {
        let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches('\'')).collect();
        match &words[..] {
            ["certificates.sh", args @ ..] => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("certificates.sh");
                let made = Command::new(script).args(args).current_dir(folder).stdout(Stdio::null()).status().unwrap();
                assert!(made.success(), "{line}");
            }
            ["kubectl", "create", "secret", "generic", name, files @ ..] => {
                let file = |word: &&str| {
                    let (key, path) = word.strip_prefix("--from-file=").unwrap().split_once('=').unwrap();
                    (key.to_owned(), folder.join(path))
                };
                secrets.insert((*name).to_owned(), files.iter().map(file).collect());
            }
            _ => {}
        }
    }
    secrets
}

/// Each process opens with its variables, its files in the place of those of its Secret, and may be what it is to be.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_certificates_of_the_page_give_each_process_its_right_and_the_nodes_their_host() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = certificates(folder.path());
    let files = Files::read();
    let sides = [("shop-owner-0", Side::Owner, "Shop"), ("shop-nodes-6d4cf56db6-x7k2p", Side::Node, "worker")];
    for ((file, pod), (name, side, of)) in files.pods().into_iter().zip(sides) {
        let mut vars = vars(pod, name);
        for path in vars.iter_mut().filter(|(of, _)| of.contains("_TLS_")).map(|(_, path)| path) {
            let key = Path::new(path).file_name().unwrap().to_str().unwrap();
            *path = secrets[&format!("shop-{file}-tls")][key].display().to_string();
        }
        // The port of a test, and nobody is dialed.
        let listen = format!("127.0.0.1:{}", crate::common::port());
        let host = vars.remove("SUPERVISE_CONNECT").map(|address| address.split(':').next().unwrap().to_owned());
        vars.insert("SUPERVISE_LISTEN".into(), listen);
        let wire = Zenoh::open(Settings::from_vars("SUPERVISE_", vars).unwrap()).await.unwrap();
        assert_eq!(wire.rights(side), Rights::only([of]), "{file}");
        wire.close().await;
        if let Some(host) = host {
            let shown = CertificateDer::from_pem_file(&secrets["shop-nodes-tls"]["cert.pem"]).unwrap();
            let shown = webpki::EndEntityCert::try_from(&shown).unwrap();
            shown.verify_is_valid_for_subject_name(&ServerName::try_from(host).unwrap()).unwrap();
        }
    }
}

#[test]
fn no_variable_of_a_service_gets_in() {
    for (file, pod) in Files::read().pods() {
        assert_eq!(pod.enable_service_links, Some(false), "{file}");
    }
}

#[test]
fn probes_and_times_are_those_of_the_declaration() {
    #[derive(Deserialize)]
    struct Printed {
        spec: PodSpec,
    }
    let files = Files::read();
    let [(_, owner), (_, node)] = files.pods();
    let printed = documents(&Shop::SPEC.pod_snippet().to_string()).remove(0);
    let Printed { spec: printed } = serde_json::from_value(printed).unwrap();
    let of = |pod: &PodSpec| {
        let Container { startup_probe, liveness_probe, readiness_probe, .. } = container(pod).clone();
        [startup_probe, liveness_probe, readiness_probe]
    };
    assert_eq!(of(owner), of(&printed));
    assert_eq!(of(node), [None, None, None], "a node has no tree to ask");
    assert_eq!(port(owner, "probes"), port(&printed, "probes"));
    let [probes] = files.owners.spec.as_ref().unwrap().ports.as_deref().unwrap() else { panic!("one port") };
    assert_eq!(Some(probes.port), port(owner, "probes"));

    assert_eq!(owner.termination_grace_period_seconds, printed.termination_grace_period_seconds);
    // The longest `shutdown` of the role, and the same margin.
    assert_eq!(node.termination_grace_period_seconds, Some(1 + 10));
}
