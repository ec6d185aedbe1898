import { type Html, html, outsideLink } from "../html.ts";
import { spell } from "../spell.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

export const INVENTED = "The DAOs and organisations here are invented, and so is every number.";

/** On every page of an invented world, and on no other. */
export const banner = ({ imprint: { invented } }: ReportData): Html =>
  invented ? html`<aside class="banner" aria-label="Invented data">${INVENTED}</aside>\n` : html``;

/** The score of a DAO with its interval, as it is cited. */
export const scoreWords = ({ dao, interval }: DaoReport): string =>
  `Governance Vitality Score ${spell.score(dao.gvs)}${spell.ends(interval?.gvs)} of 10`;

/** Who says what (the number that a page is about, if any), as of when, by which method, in which version. */
export function citation(data: ReportData, title: string, cited: string | undefined): string {
  const { imprint, asOf, methodologyVersion, version } = data;
  const publisher = imprint.contributors?.[0];
  return [
    publisher?.title,
    "govdata",
    title,
    cited,
    imprint.invented && "invented data",
    `as of ${spell.day(asOf)}`,
    `method ${methodologyVersion}`,
    `version ${version}`,
    publisher?.path,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

const named = (name: string | undefined, path: string | undefined): Html =>
  path === undefined ? html`${name}` : outsideLink(path, name);

/** Who publishes, as a link if there is one; nothing where nobody says. */
export function publisherName({ imprint: { contributors } }: ReportData): Html | undefined {
  return contributors && named(contributors[0].title, contributors[0].path);
}

export function licenseName({ imprint: { licenses } }: ReportData): Html | undefined {
  return licenses && named(licenses[0].title ?? licenses[0].name, licenses[0].path);
}

/** A link to write to the publisher about something; nothing where there is no address. */
export function contactLink({ version, imprint }: ReportData, words: string): Html | undefined {
  const { contact, email } = imprint.contributors?.[0] ?? {};
  if (contact !== undefined) return outsideLink(contact, words);
  if (email === undefined) return undefined;
  const subject = encodeURIComponent(`${words} (govdata, version ${version})`);
  return html`<a href="mailto:${email}?subject=${subject}">${words}</a>`;
}

/** The foot of a page: how to cite it, who publishes it, whom to write to. */
export function imprint(
  data: ReportData,
  { title, cited }: { readonly title: string; readonly cited?: string },
  root: string,
): Html {
  const [publisher, license] = [publisherName(data), licenseName(data)];
  const parts = [
    publisher && html`Published by ${publisher}`,
    license && html`licence of the numbers: ${license}`,
    contactLink(data, "Report an error"),
    contactLink(data, "Opt out"),
  ].map((part) => part && html`${part} · `);
  return html`<p>Cite as: ${citation(data, title, cited)}</p>
<p>${parts}<a href="${root}about.html#corrections">Corrections: ${data.corrections.length}</a></p>
`;
}
