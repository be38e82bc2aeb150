import { CONTENT_STYLE } from "./style-content.js";

const LIGHT = `--page:#f5f6f8;--paper:#ffffff;--ink:#1c2530;--quiet:#566170;--line:#d8dde4;--edge:#7b8794;
--accent:#1b5aa6;--accent-soft:#e5eefa;--good:#1a6438;--good-soft:#e2f2e8;--warn:#754700;--warn-soft:#fcefd6;
--bad:#a01f19;--bad-soft:#fbe7e5;--box:#f2f5f9;--end:#e2f2e8;--mark:#ffe9a8;--mark-ink:#4a3600`;

const DARK = `--page:#11151a;--paper:#191f27;--ink:#e5e9ee;--quiet:#a5afbc;--line:#323b47;--edge:#8a95a3;
--accent:#8dbbf7;--accent-soft:#1f3149;--good:#8fd6a8;--good-soft:#173222;--warn:#f0c674;--warn-soft:#3a2d12;
--bad:#ffa199;--bad-soft:#431e1b;--box:#222a34;--end:#1b3526;--mark:#5c4a12;--mark-ink:#ffeab0`;

const FRAME = `
*{box-sizing:border-box}
html{color-scheme:light dark;scroll-padding-top:5rem}
html:has(.playing){scroll-padding-top:0}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
body{margin:0;overflow-wrap:break-word;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main{max-width:84rem;margin:0 auto;padding:0 2rem}
header{padding-top:2.2rem}
main{padding-bottom:6rem}
h1,h2,h3,h4,p{margin:0}
h1{font-size:1.9rem;line-height:1.2;overflow-wrap:anywhere}
h2{font-size:1.2rem;display:inline}
h3{font-size:1rem;margin:1.4rem 0 .4rem}
h4{font-size:.9rem;margin:1.2rem 0 .2rem;color:var(--quiet)}
.kind{font-size:.85rem;color:var(--quiet);letter-spacing:.02em}
.theme{white-space:nowrap}
.top{display:flex;justify-content:space-between;gap:1rem;align-items:flex-start}
.verdict{margin:1.1rem 0 .8rem;padding:.8rem 1.1rem;border-radius:10px;font-size:1.1rem;font-weight:600;border-left:5px solid}
.verdict.good{background:var(--good-soft);border-color:var(--good);color:var(--good)}
.verdict.warn{background:var(--warn-soft);border-color:var(--warn);color:var(--warn)}
.verdict.bad{background:var(--bad-soft);border-color:var(--bad);color:var(--bad)}
.quiet,.note,.hint{color:var(--quiet)}
.hint{font-size:.92rem;margin-bottom:.8rem;max-width:60rem}
.note{font-size:.9rem;margin-left:.5rem}
code{font:.9em ui-monospace,"DejaVu Sans Mono",Consolas,monospace;overflow-wrap:anywhere;unicode-bidi:isolate}
.hash{font-size:.8em}
a{color:var(--accent)}
a.name{text-decoration:none}a.name:hover code{text-decoration:underline}
.place{font-size:.82rem;color:var(--quiet);white-space:nowrap}
.place:is(a):hover{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
button,select,input{font:inherit;color:inherit}
button{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.3rem .8rem;cursor:pointer}
button:hover{border-color:var(--accent)}
button[aria-disabled=true]{opacity:.5;cursor:default}
button[aria-pressed=true]{background:var(--accent-soft);border-color:var(--accent);color:var(--accent);font-weight:600}
.show{font-size:.85rem;padding:.1rem .6rem;color:var(--accent)}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:9}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none!important}
.section{background:var(--paper);border:1px solid var(--line);border-radius:12px;margin:1.2rem 0}
.section>summary,.card>summary{cursor:pointer;padding:.9rem 1.3rem;border-radius:12px}
.section>.body{padding:.2rem 1.3rem 1.4rem}
.switch{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.6rem 0 0}
.pack-name{display:block;margin-top:1.6rem;font-size:1.35rem}
.contents{display:flex;gap:.5rem 1.5rem;align-items:flex-start;justify-content:space-between;margin-top:1.2rem}
.contents ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:0;padding:.2rem 0;font-size:.92rem}
.contents a{text-decoration:none}.contents a:hover{text-decoration:underline}
.contents button{font-size:.85rem;white-space:nowrap}
.toolbar{position:sticky;top:0;z-index:4;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;background:var(--page);padding:.7rem 0;margin-top:.4rem;border-bottom:1px solid var(--line)}
.toolbar label{font-size:.9rem;color:var(--quiet);display:flex;gap:.4rem;align-items:center}
.toolbar .grow{flex:1 1 14rem}
.toolbar input,.toolbar select{background:var(--paper);color:var(--ink);border:1px solid var(--edge);border-radius:8px;padding:.4rem .7rem;min-width:0}
.toolbar input{width:100%}.toolbar ::placeholder{color:var(--quiet);opacity:1}.toolbar select{max-width:11rem}
.matches{font-size:.9rem;min-width:9rem}.toolbar a{font-size:.9rem}
#panel{position:fixed;top:0;right:0;bottom:0;width:28rem;max-width:100%;background:var(--paper);border-left:1px solid var(--line);box-shadow:-6px 0 24px rgb(0 0 0/.14);overflow:auto;padding:1.2rem 1.4rem 3rem;z-index:6}
.panel-head{display:flex;justify-content:space-between;gap:1rem;align-items:flex-start;margin-bottom:.8rem}
.panel-head code{font-weight:700}
.panel-head h2{overflow-wrap:anywhere;font-size:1.3rem}
@media (min-width:1000px){body.has-panel{padding-right:28rem}}
@media (max-width:640px){
header,main{padding-left:1rem;padding-right:1rem}
.section>summary,.section>.body{padding-left:.9rem;padding-right:.9rem}
#panel{top:auto;left:0;width:auto;max-height:72vh;border-left:0;border-top:1px solid var(--line);border-radius:14px 14px 0 0;box-shadow:0 -6px 24px rgb(0 0 0/.2)}
.toolbar{position:static}.toolbar a{display:none}
.player-controls button{padding:.3rem .55rem}
.keys{display:none}
}`;

const PRINT = `
@media print{
html{font-size:9.5pt}
body{background:#fff;font-size:1rem;padding:0!important}
.names{display:none}
.group>summary,.others>summary{list-style:none}
h3,h4,.hint{break-after:avoid}
header,main{max-width:none;padding:0}
button,.toolbar,.contents,.switch,.skip,#panel,.player,.screen,.empty{display:none!important}
.pack,[data-row]{display:revert!important}
tr[data-row]{display:table-row!important}
.rule,.card{content-visibility:visible!important}
.section{border:0;border-top:1px solid #999;border-radius:0}
.section>summary,.card>summary{list-style:none;padding-left:0;break-after:avoid}
.section>.body{padding-left:0;padding-right:0}
.scroll,.canvas{overflow:visible!important;max-height:none!important;border:0!important}
.machine{max-width:100%;height:auto}
.rule,.card li,.flow,tr{break-inside:avoid}
.matrix th,.matrix td{position:static!important}
a{color:inherit;text-decoration:none}
}`;

/** How the page looks: on a screen in light and dark, and on paper. */
export const STYLE = `
:root{${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
@media screen{:root[data-theme=dark]{${DARK}}}
${FRAME}${CONTENT_STYLE}${PRINT}
`;
