/** The page's whole look; its hash is in the page's policy. */
export const style = `
:root {
  --ink:#1c2430;
  --soft:#5b6675;
  --line:#dfe4ea;
  --paper:#fff;
  --panel:#f6f8fa;
  --accent:#0b6bcb
}
@media(prefers-color-scheme:dark) {
  :root {
    --ink:#e6eaf0;
    --soft:#9aa6b5;
    --line:#2c3542;
    --paper:#12171f;
    --panel:#1a212c;
    --accent:#6fb3ff
  }
}
* { box-sizing:border-box }
body {
  margin:0;
  font:16px/1.55 system-ui,sans-serif;
  color:var(--ink);
  background:var(--paper);
  display:flex
}
nav {
  position:sticky;
  top:0;
  height:100vh;
  overflow:auto;
  width:19rem;
  flex:none;
  padding:1.2rem;
  border-right:1px solid var(--line);
  background:var(--panel);
  font-size:.86rem
}
nav a { display:block; padding:.12rem 0; color:var(--soft); text-decoration:none }
nav a:hover { color:var(--accent) }
nav .title { font-weight:700; font-size:1.1rem; color:var(--ink) }
nav .chapter { margin-top:.9rem; font-weight:600; color:var(--ink) }
main { padding:1.5rem 2.5rem; max-width:62rem; min-width:0; flex:1 }
a { color:var(--accent) }
small { color:var(--soft); font-weight:400 }
h2 { margin-top:3rem; border-bottom:1px solid var(--line) }
article { margin-top:2rem; padding-top:.5rem }
h4 { margin:1.2rem 0 .3rem }
code { font:.88em ui-monospace,monospace; overflow-wrap:anywhere }
pre {
  background:var(--panel);
  border:1px solid var(--line);
  border-radius:6px;
  padding:.8rem;
  overflow:auto;
  max-height:26rem
}
table { border-collapse:collapse; width:100%; font-size:.9rem }
td { border-top:1px solid var(--line); padding:.35rem .6rem .35rem 0; vertical-align:top }
td p { margin:0 }
.method { display:inline-block; min-width:4.2rem; font-weight:700; color:var(--accent) }
.path { margin:.2rem 0 }
.error { margin:.15rem 0; color:var(--soft); font-size:.9rem }
summary { cursor:pointer; color:var(--soft) }
tr:target { background:var(--panel) }
@media(max-width:50rem) {
  body { display:block }
  nav { position:static; width:auto; height:auto }
  main { padding:1rem }
}
`;
