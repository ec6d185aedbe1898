import { JSDOM } from "jsdom";

const ATOM = "http://www.w3.org/2005/Atom";

/** Elements allowed in a feed and in an entry, by RFC 4287 §4.1.1 and RFC 4287 §4.1.2; those with a `*` at most once. */
const IN_FEED = ["author", "category", "contributor", "entry", "generator*", "icon*", "id*", "link", "logo*"];
const MORE_IN_FEED = ["rights*", "subtitle*", "title*", "updated*"];
const IN_ENTRY = ["author", "category", "content*", "contributor", "id*", "link", "published*", "rights*"];
const MORE_IN_ENTRY = ["source*", "summary*", "title*", "updated*"];

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const parser = new new JSDOM().window.DOMParser();

/** Parses XML strictly; throws if it is not well-formed. */
export function readXml(text: string): XMLDocument {
  const document = parser.parseFromString(text, "application/xml");
  const fault = document.querySelector("parsererror");
  if (fault !== null) throw new Error(fault.textContent ?? "no XML");
  return document;
}

/** Parses a fragment of HTML like a feed reader. */
export function readHtml(text: string): HTMLElement {
  return parser.parseFromString(text, "text/html").body;
}

const childrenOf = (parent: Element, name: string): readonly Element[] =>
  [...parent.children].filter((child) => child.localName === name);

/** The text of the one child of that name. */
export function childText(parent: Element | null | undefined, name: string): string | undefined {
  return parent === null || parent === undefined
    ? undefined
    : (childrenOf(parent, name)[0]?.textContent ?? undefined);
}

function faultsOf(parent: Element, allowed: readonly string[]): readonly string[] {
  const names = new Set(allowed.map((name) => name.replace("*", "")));
  const once = allowed.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return [
    ...[...parent.children].filter((child) => child.namespaceURI !== ATOM).map(() => "not of Atom"),
    ...[...parent.children].filter((child) => !names.has(child.localName)).map((child) => child.localName),
    ...once.filter((name) => childrenOf(parent, name).length > 1).map((name) => `${name} more than once`),
    ...["id", "title", "updated"]
      .filter((name) => childrenOf(parent, name).length !== 1)
      .map((name) => `no ${name}`),
    ...(URL.canParse(childText(parent, "id") ?? "") ? [] : ["an id that is no IRI"]),
    ...(MOMENT.test(childText(parent, "updated") ?? "") ? [] : ["updated is no time"]),
    ...childrenOf(parent, "author")
      .filter((author) => (childText(author, "name") ?? "") === "")
      .map(() => "an author without a name"),
    ...childrenOf(parent, "link")
      .filter((link) => !URL.canParse(link.getAttribute("href") ?? "", "https://feed.example/feed.xml"))
      .map(() => "a link that leads nowhere"),
  ];
}

/** Violations of the musts of RFC 4287 in a feed. */
export function atomFaults({ documentElement: feed }: XMLDocument): readonly string[] {
  const entries = childrenOf(feed, "entry");
  const ids = entries.map((entry) => childText(entry, "id"));
  const kept = childrenOf(feed, "link").filter((link) => link.getAttribute("rel") === "self");
  return [
    ...(feed.localName === "feed" && feed.namespaceURI === ATOM ? [] : ["no feed"]),
    ...faultsOf(feed, [...IN_FEED, ...MORE_IN_FEED]),
    ...entries.flatMap((entry) => faultsOf(entry, [...IN_ENTRY, ...MORE_IN_ENTRY])),
    // RFC 4287 §4.1.1: one or more authors, unless each entry has its own.
    ...(childrenOf(feed, "author").length > 0 ||
    entries.every((entry) => childrenOf(entry, "author").length > 0)
      ? []
      : ["no author"]),
    ...(new Set(ids).size === ids.length ? [] : ["an id twice"]),
    ...(kept.length > 1 ? ["two addresses of its own"] : []),
  ];
}
