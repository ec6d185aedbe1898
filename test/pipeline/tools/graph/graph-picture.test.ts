import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { graphPicture } from "../../../../pipeline/tools/graph/graph-picture.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet } from "../../../support/published-set.ts";

const graph = withGraph(publishedSet()).graphs[0]!;

/** The labels of a picture whose delegates bear a name; throws where it is no XML. */
async function labelsOf(name: string): Promise<readonly (string | null)[]> {
  const delegates = graph.delegates.map((delegate) =>
    delegate.rank === 1 ? { ...delegate, display_name: name } : delegate,
  );
  const svg = await graphPicture({ ...graph, delegates });
  const { document } = new JSDOM(svg, { contentType: "image/svg+xml" }).window;
  return [...document.querySelectorAll("text")].map(({ textContent }) => textContent);
}

describe("graphPicture", () => {
  it.each([
    { why: "a plain name", name: "Lantern", label: "Lantern 25.0 %" },
    { why: "characters that XML has not", name: "Lan\uFFFEtern\uFFFF", label: "Lantern 25.0 %" },
    { why: "nothing but such characters", name: "\uFFFE \uFFFF", label: "0x0000…0001 25.0 %" },
    { why: "a space that does not break", name: "Lan\u00A0tern", label: "Lan\u00A0tern 25.0 %" },
    { why: "a name that looks like one", name: "&nbsp;", label: "&nbsp; 25.0 %" },
    { why: "markup", name: "</text><a>]]>&", label: "</text><a>]]>& 25.0 %" },
  ])("is well-formed with $why", async ({ name, label }) => {
    expect(await labelsOf(name)).toContain(label);
  });
});
