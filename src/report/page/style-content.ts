/** How the parts within the sections look. */
export const CONTENT_STYLE = `
.badge{display:inline-block;font-size:.8rem;line-height:1.4;padding:.05rem .55rem;border-radius:999px;border:1px solid var(--line);background:var(--page);color:var(--quiet);white-space:nowrap}
.badge.good{background:var(--good-soft);color:var(--good);border-color:transparent}
.badge.warn{background:var(--warn-soft);color:var(--warn);border-color:transparent}
.badge.bad{background:var(--bad-soft);color:var(--bad);border-color:transparent}
.badge.accent{background:var(--accent-soft);color:var(--accent);border-color:transparent}
.rules{list-style:none;margin:0;padding:0}
.rules>li{padding:.65rem 0;border-top:1px solid var(--line)}
.rules>li:first-child{border-top:0}
.rules.rows>li{content-visibility:auto;contain-intrinsic-size:auto 4.6rem}
.rows>.rule{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,28rem);gap:.3rem 1.5rem;align-items:start}
.rows>.rule>.facts:only-child{grid-column:1/-1}
.rows .facts{margin-top:0}
.group{margin-top:.6rem}.group>summary{cursor:pointer;padding:.4rem 0}.group h3{display:inline;margin:0}
.facts{margin-top:.25rem;display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:center}
.for,.others,.under,.before{font-size:.9rem;color:var(--quiet);margin-top:.25rem}
.more{display:inline}.more>summary{display:inline;cursor:pointer;color:var(--accent);font-size:.9rem}
.more>summary::marker{content:""}
.scroll{position:relative;overflow:auto;border:1px solid var(--line);border-radius:8px}
.scroll.tall{max-height:36rem}
table{border-collapse:collapse;width:100%;font-size:.94rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .8rem;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}
thead th{background:var(--box);font-size:.86rem;position:sticky;top:0;z-index:1}
td ul{margin:0;padding-left:1.1rem}
.alarming summary{color:var(--warn);font-weight:700}
.scroll>table:not(.matrix) thead th{min-width:6rem}
.number{text-align:left;font-variant-numeric:tabular-nums}
.matrix{width:auto;min-width:100%;border-collapse:separate;border-spacing:0}
.matrix th[scope=row]{position:sticky;left:0;background:var(--paper);font-weight:400}
.matrix thead th:first-child{left:0;z-index:2}
.matrix thead th{vertical-align:bottom}
.matrix .upright{padding:.5rem .3rem;text-align:center}
.matrix .upright a{writing-mode:vertical-rl;transform:rotate(180deg);max-height:11rem;overflow:hidden}
.matrix td.cell,.matrix thead th[scope=col]:nth-child(n+3){text-align:center}
.matrix tbody tr:hover>*{background:var(--box)}
.matrix tbody>tr>*{vertical-align:middle}
.matrix thead code{white-space:nowrap;overflow-wrap:normal}
.matrix th[scope=row] code{display:block;line-height:1.7;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:min(20rem,42vw)}
.badges{white-space:nowrap}
.cell{font-weight:700}
.cell.yes{color:var(--good)}.cell.on{color:var(--accent)}.cell.no{color:var(--quiet);font-weight:400}.cell.shut{color:var(--bad)}
.key{margin-right:1.2rem;white-space:nowrap}
.canvas{position:relative;overflow:auto;border:1px solid var(--line);border-radius:8px;background:var(--paper);max-height:44rem}
.machine{display:block;margin:0 auto}
.fit .machine{width:100%;height:auto}
.fit-switch{float:right;font-size:.85rem;margin:0 0 .5rem 1rem}.canvas{clear:both}
.machine text{font:12px ui-monospace,"DejaVu Sans Mono",Consolas,monospace;fill:var(--ink)}
.machine .title{font-weight:700;font-size:13px}
.machine .count{fill:var(--quiet)}
.machine .call{fill:var(--accent)}
.machine .box{fill:var(--box);stroke:var(--edge)}
.machine .box.end{fill:var(--end)}
.machine .rim,.machine .transition{fill:none;stroke:var(--edge)}
.machine .transition{stroke-width:1.5}.machine .transition.idle{stroke-dasharray:4 4}
.machine .start{fill:var(--edge)}
.machine .tip{fill:var(--edge);fill:context-stroke}
.machine .behind{fill:var(--paper)}
.machine .hit{fill:transparent}
.machine a{cursor:pointer}
.machine a:hover .call,.machine a:hover .title{text-decoration:underline}
.machine a:focus-visible{outline:none}
.machine a:focus-visible .box,.machine a:focus-visible .hit{stroke:var(--accent);stroke-width:3}
.machine .tool.changed .hit,.machine .phase.changed>a .box,.machine .transition.changed{stroke:var(--warn);stroke-width:2;stroke-dasharray:2 2}
.machine .chosen .box{stroke:var(--accent);stroke-width:3}
.machine .chosen .hit{fill:var(--accent-soft)}
.machine .current .box{stroke:var(--accent);stroke-width:4}
.machine .called .hit{fill:var(--mark)}.machine .called .call{fill:var(--mark-ink);font-weight:700}
.machine .transition.walked{stroke:var(--accent);stroke-width:4;stroke-dasharray:none}
.player{margin-top:1rem;border:2px solid var(--accent);border-radius:10px;padding:1rem 1.2rem;background:var(--paper)}
.player-controls{display:flex;flex-wrap:wrap;gap:.5rem .8rem;align-items:center;margin-bottom:.8rem}
.player-setting{margin-bottom:.8rem}
.player-title{margin:0 0 .2rem}
.player-controls [data-player=close]{margin-left:auto}
.playing .toolbar{position:static}.playing .drawing-hint{display:none}
.player-title:focus-visible,.panel-head h2:focus-visible{outline:none}
.player-parts{display:grid;grid-template-columns:minmax(12rem,1fr) 2fr;gap:1.4rem}
.player-steps{position:relative;margin:0;padding:.3rem .3rem .3rem 2.6rem;max-height:22rem;overflow:auto}
.player-steps button{border-color:transparent;padding:.1rem .5rem;text-align:left;background:none;font-family:ui-monospace,"DejaVu Sans Mono",Consolas,monospace;font-size:.85rem;overflow-wrap:anywhere}
.player-steps .badge{font-family:system-ui,sans-serif;font-weight:400}
.player-steps [aria-current=step]{background:var(--mark);color:var(--mark-ink);font-weight:700}
.player-step dl,.card-body dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.1rem;margin:.4rem 0}
dt{color:var(--quiet);font-size:.9rem}
dd{margin:0;overflow-wrap:anywhere}
dd ul{margin:0;padding-left:1.1rem}
.player-step dd{white-space:pre-wrap;font:.88rem/1.5 ui-monospace,"DejaVu Sans Mono",Consolas,monospace}
.player-step dd.words{font:inherit}
.card{border-top:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 3rem}
.card:first-child{border-top:0}
.card>summary{padding:.6rem 0}
.card h3{display:inline;margin:0;font-weight:600}
.card-body{padding:0 0 1rem 1.1rem}
.panel-body .card-body{padding:0}
.panel-body h3{margin-top:1.6rem}
.flows{list-style:none;margin:0;padding:0}
.flow{padding:.9rem 0;border-top:1px solid var(--line)}
.flow:first-child{border-top:0}
.lane{display:grid;grid-template-columns:minmax(0,1fr) 2.2rem minmax(0,17rem) 2.2rem minmax(0,1fr);gap:.8rem;align-items:center}
.ends{list-style:none;margin:0;padding:0}
.hub{border:1px solid var(--edge);border-radius:10px;background:var(--box);padding:.4rem .9rem;overflow-wrap:anywhere}
.hub .quiet{display:block;font-size:.8rem}
.shared{color:var(--ink)}.sharing{margin-bottom:.5rem}
.root{display:none}
.arrow{height:2px;background:var(--edge);position:relative}
.arrow::after{content:"";position:absolute;right:0;top:-4px;border-left:8px solid var(--edge);border-top:5px solid transparent;border-bottom:5px solid transparent}
@media (max-width:1100px){.rows>.rule{grid-template-columns:minmax(0,1fr)}}
@media (max-width:640px){
.player-parts,.player-step dl,.card-body dl{grid-template-columns:1fr}
.player-step dl,.card-body dl{gap:.1rem}
.player-step dd,.card-body dd{margin-bottom:.5rem}
.lane{grid-template-columns:minmax(0,1fr)}
.arrow{width:2px;height:1.5rem;margin-left:1.5rem}
.arrow::after{right:-4px;top:auto;bottom:0;border:5px solid transparent;border-top:8px solid var(--edge);border-bottom:0}
}`;
