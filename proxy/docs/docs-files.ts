import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DOCS_INITIALIZER } from "./docs-initializer.ts";
import { DOCS_LAYOUT, docsPage } from "./docs-page.ts";
import { type StaticBody, staticBody } from "./send-static.ts";

/** The page, and its files by the names it knows them under. */
export interface Docs {
  readonly page: StaticBody;
  readonly files: ReadonlyMap<string, StaticBody>;
}

/** The types of what is served here, by the ends of the names. */
export const DOCS_TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
} as const;
type Extension = keyof typeof DOCS_TYPES;

const require = createRequire(import.meta.url);

/** The bundle points to this name for the licences of what is in it. */
const LICENCES = "swagger-ui-bundle.js.LICENSE";

let docs: Docs | undefined;

/** Reads the files once, when somebody first asks for the page: no start waits for them, and none fails without them. */
export function docsFiles(): Docs {
  docs ??= readDocs();
  return docs;
}

function readDocs(): Docs {
  const files = new Map<string, StaticBody>();
  const add = (stem: string, extension: Extension, bytes: Buffer): string => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    const name = `${stem}-${hash}.${extension}`;
    files.set(name, staticBody(DOCS_TYPES[extension], bytes));
    return name;
  };
  // Resolved as any import is, so that it is found wherever this program is installed, built or not.
  const folder = dirname(require.resolve("swagger-ui-dist/package.json"));
  const read = (name: string) => readFileSync(join(folder, name));
  const page = docsPage({
    style: add("swagger-ui", "css", read("swagger-ui.css")),
    layout: add("layout", "css", Buffer.from(DOCS_LAYOUT)),
    icon: add("icon", "png", read("favicon-32x32.png")),
    bundle: add("swagger-ui-bundle", "js", read("swagger-ui-bundle.js")),
    initializer: add("initializer", "js", Buffer.from(DOCS_INITIALIZER)),
    licences: add(LICENCES, "txt", read(`${LICENCES}.txt`)),
  });
  return { page: staticBody(DOCS_TYPES.html, Buffer.from(page)), files };
}
