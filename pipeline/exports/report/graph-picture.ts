import type { DelegationGraph } from "../../../snapshots/format/delegation-graph.ts";
import { shortAddress } from "../../../snapshots/format/short-address.ts";
import { createDraw } from "./drawing.ts";
import { graphFlow } from "./graph-flow.ts";
import { layOutGraph } from "./graph-layout.ts";
import { graphText } from "./graph-words.ts";
import { htmlText } from "./html.ts";

/** A file has no style sheet around it: the light colours of the report's, on paper of its own. */
const COLOURS: Readonly<Record<string, string>> = {
  accent: "#0b5f73",
  soft: "#dcebee",
  line: "#dfdcd5",
};

const SVG = "http://www.w3.org/2000/svg";
const PAPER = '<rect width="100%" height="100%" fill="#ffffff"/>';

/** Two characters that names may hold and XML may not. */
const NOT_IN_XML = /[\uFFFE\uFFFF]/g;

/** A graph whose names can stand in XML; a name of nothing else gives way to the address. */
function withXmlNames(graph: DelegationGraph): DelegationGraph {
  const delegates = graph.delegates.map((each) => {
    const name = each.display_name.replaceAll(NOT_IN_XML, "").trim();
    return { ...each, display_name: name === "" ? shortAddress(each.address) : name };
  });
  return { ...graph, delegates };
}

/** A graph as an SVG file that asks for nothing; the same for the same graph. */
export async function graphPicture(graph: DelegationGraph): Promise<string> {
  const [draw, marks] = [await createDraw(), await import("@observablehq/plot")];
  const text = { id: "delegation-graph", ...graphText(graph, graph.space_id) };
  const svg = htmlText(draw(graphFlow(marks, layOutGraph(withXmlNames(graph)), 760, true), text));
  const coloured = svg.replaceAll(
    /"var\(--(\w+)\)"/g,
    (_, name: string) => `"${COLOURS[name] ?? "currentColor"}"`,
  );
  // A serialiser of pages spells a space by a name that XML does not know, and leaves out what only a file needs.
  const xml = coloured.replaceAll("&nbsp;", "&#160;");
  return `${xml.replace("<svg ", `<svg xmlns="${SVG}" `).replace("</desc>", `</desc>${PAPER}`)}\n`;
}
