import type { ReportData } from "./report-data.ts";
import { spell } from "./spell.ts";

const FILES = [
  ["index.html", "the ranking: GVS, four components, change of 24 hours"],
  ["dgi.html", "the Decentralized Governance Index, now and by day"],
  ["changes.html", "what moved since the version before"],
  ["quality.html", "sources, findings, rejected rows, DAOs without a score"],
  ["methodology.html", "how every number is made"],
  ["feed.xml", "scores that moved since the version before, as Atom"],
] as const;

/** A name that cannot write marks, links or lines of its own. */
function plain(name: string): string {
  return name.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]()<>#]/g, "\\$&");
}

/** `llms.txt`: what this folder is and where things lie, for programs that read pages. */
export function llmsText(data: ReportData): string {
  const daos = data.daos.map(
    ({ dao }) =>
      `- [${plain(dao.name)}](daos/${dao.space_id}.html): rank ${dao.rank}, GVS ${spell.score(dao.gvs)}`,
  );
  const lines = [
    "# govdata report",
    "",
    "> The governance health of DAOs, from published files alone. Scores go from 0 to 10, more is better; risk from 0 to 100, less is better.",
    "",
    `As of ${data.asOf}, method ${data.methodologyVersion}, version ${data.version}. ${data.isFull ? "Full report." : "Open report: no risk, no intervals, no history of single DAOs, no proposals."}`,
    "A gap is a gap: what cannot be computed is neither 0 nor an average. Scores describe votes that were cast, not whether decisions were good.",
    "",
    "## Pages",
    "",
    ...FILES.map(([path, says]) => `- [${path}](${path}): ${says}`),
    "",
    "## DAOs",
    "",
    ...daos,
    "",
  ];
  return lines.join("\n");
}
