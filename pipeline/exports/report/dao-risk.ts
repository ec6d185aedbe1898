import { type Html, html } from "./html.ts";
import type { FullDao } from "./report-data.ts";
import { spell } from "./spell.ts";
import { htmlTable } from "./table.ts";

/** The risk of one DAO and its factors, or that it was not assessed; and the entities that carry most power. */
export function daoRisk({ risk, detail }: FullDao): Html {
  const body =
    risk === undefined
      ? html`<p>Not assessed: what it needs is missing from the data.</p>`
      : html`<p class="lead">${spell.tenth(risk.risk_score)} of 100, ${risk.risk_level}; ${risk.trend} over 30 days. Less is better.</p>
${htmlTable(
  "Risk factors",
  [
    { heading: "Factor", of: ([name]: readonly [string, string]) => name, isRowName: true },
    { heading: "Found", of: ([, value]) => value, isNumber: true },
  ],
  [
    ["Capture: how few heads decide", risk.factors.governance_capture_risk],
    ["Power of the four strongest", spell.percent(risk.factors.whale_control_pct)],
    ["Active voters of 90 days", spell.count(risk.factors.active_voter_count)],
    ["Concentration of delegated power", risk.factors.delegate_centralization],
    ["Pace of proposals", spell.word(risk.factors.proposal_velocity)],
    ["Votes cast in one sitting", spell.percent(risk.factors.checkpoint_voting_pct)],
  ],
)}`;
  const entities =
    detail.top_entities.length === 0
      ? html``
      : html`<section aria-labelledby="entities"><h2 id="entities">Known entities</h2>
${htmlTable(
  "Labelled entities with the most power in the frame",
  [
    { heading: "Entity", of: ({ label }) => label, isRowName: true },
    { heading: "Power", of: (each) => spell.percent(each.voting_power_share_pct), isNumber: true },
    { heading: "Proposals", of: ({ proposals_voted }) => proposals_voted, isNumber: true },
    { heading: "Takes part", of: (each) => spell.percent(each.participation_pct), isNumber: true },
  ],
  detail.top_entities,
)}</section>
`;
  return html`<section aria-labelledby="risk"><h2 id="risk">Risk</h2>
${body}</section>
${entities}`;
}
