import { concentrationCurve, type Studio } from "./charts.ts";
import { type Html, html } from "./html.ts";
import type { DaoReport } from "./report-data.ts";
import { spell } from "./spell.ts";
import { htmlTable } from "./table.ts";

/** The strongest delegates; with all of them that are published also how power adds up. */
export function delegateSection({ dao, listing, full }: DaoReport, studio: Studio): Html {
  if (listing === undefined || listing.delegates.length === 0) return html``;
  const { delegates, summary } = listing;
  const together = delegates.reduce((sum, each) => sum + each.votes_share_pct, 0);
  const curve =
    full === undefined || delegates.length < 2
      ? html``
      : concentrationCurve(
          studio,
          delegates.map((each) => each.votes_share_pct),
          {
            id: "delegate-curve",
            title: `Delegated power of ${dao.name} that the strongest hold together`,
            description: `The first ${delegates.length} hold ${spell.percent(Math.min(together, 100))}.`,
          },
        );
  return html`<section aria-labelledby="delegates"><h2 id="delegates">Delegates</h2>
<p>${spell.count(listing.total_delegates)} delegates as of ${spell.day(listing.fetched_at)}. Those with at least 1 % each hold ${spell.percent(summary.t1_voting_power_pct)} of the delegated power, those with less than 0.1 % together ${spell.percent(summary.t3_voting_power_pct)}.</p>
${curve}
${htmlTable(
  `The ${delegates.length} strongest delegates`,
  [
    { heading: "Rank", of: ({ rank }) => rank, isNumber: true },
    {
      heading: "Delegate",
      of: ({ display_name, address }) => html`<span title="${address}">${display_name}</span>`,
      isRowName: true,
    },
    { heading: "Votes", of: ({ votes_human }) => spell.count(votes_human), isNumber: true },
    { heading: "Share", of: (each) => `${spell.score(each.votes_share_pct)} %`, isNumber: true },
    { heading: "Delegators", of: (each) => spell.count(each.delegators_count), isNumber: true },
    { heading: "Tier", of: ({ weight_tier }) => weight_tier },
  ],
  delegates,
)}</section>
`;
}
