supervisor! {
    struct Tasks(every: Duration) {
        plain: task = poll(every),
        told: task = |cx| serve(cx),
        maybe: Option<task> = Some(poll(every)),
        row: [task; 2] = |i: usize| |cx| serve(cx, i),
        any: [task] = |n: u32| poll(n),
        keyed: [String => task] = |name: String| |cx| serve(cx, name),
    }
}
