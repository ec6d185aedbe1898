import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DOCS_FILE_CACHE, DOCS_PAGE_CACHE, DOCS_POLICY } from "../request/headers.ts";
import { encodings, type StaticBody } from "../request/response.ts";

const DOCS_TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
} as const;
type Extension = keyof typeof DOCS_TYPES;

const require = createRequire(import.meta.url);

/** The bundle refers to this file for the licences of its parts. */
const LICENCES = "swagger-ui-bundle.js.LICENSE";

/**
 * The only script of our own on the page. A key is typed in by hand and forgotten when the page closes. The page sends
 * nothing to other hosts: no validator, no configuration from its address. What a screen reader would
 * stumble over in Swagger UI is mended: links inside buttons, lists without a name, landmarks too many or missing.
 */
const DOCS_INITIALIZER = `"use strict";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();
const mend = () => {
  document.querySelector(".information-container")?.setAttribute("role", "banner");
  for (const list of document.querySelectorAll("select:not([aria-label])")) list.setAttribute("aria-label", "Value");
  for (const table of document.querySelectorAll("table[role=region]")) table.removeAttribute("role");
};
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  docExpansion: "list",
  supportedSubmitMethods: ["get"],
  persistAuthorization: false,
  queryConfigEnabled: false,
  withCredentials: false,
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [
    ({ React }) => ({
      components: {
        DeepLink: ({ text }) => React.createElement("span", null, text),
        ServersContainer: () => null
      }
    })
  ]
});
`;

/** Styles in addition to those of Swagger UI: contrasts of at least 4.5, which many of its own lack, and no scrolling code. */
const DOCS_LAYOUT = `html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
noscript p, footer { margin: 2em; font-family: sans-serif; }
.swagger-ui .info .title small { background: #5a606b; }
.swagger-ui .info .title small.version-stamp { background: #4d6b02; }
.swagger-ui a, .swagger-ui .info .title .url, .swagger-ui .info .link { color: #1c63b7; }
.swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #1b7a4b; border-color: #1b7a4b; }
.swagger-ui .btn.authorize svg { fill: #1b7a4b; }
.swagger-ui .btn.cancel { color: #b51f1f; border-color: #b51f1f; }
.swagger-ui .btn.execute { background: #1c63b7; border-color: #1c63b7; }
.swagger-ui .opblock .opblock-summary-method { background: #1c63b7 !important; color: #fff !important; }
.swagger-ui .parameter__in, .swagger-ui .parameter__deprecated { color: #555; }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: #555; }
.swagger-ui .json-schema-2020-12__constraint { background: #7a5200; }
.swagger-ui { overflow-wrap: anywhere; }
.swagger-ui pre.microlight { overflow: visible !important; white-space: pre-wrap; }
html.dark-mode body { background: #1c2022; }
html.dark-mode .swagger-ui .info .title .url, html.dark-mode .swagger-ui .info .link { color: #9e9eff; }
html.dark-mode .swagger-ui .btn.authorize, html.dark-mode .swagger-ui .btn.authorize span { color: #4fd08a; border-color: #4fd08a; }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #4fd08a; }
html.dark-mode .swagger-ui .btn.cancel { color: #ff8f8f; border-color: #ff8f8f; }
html.dark-mode .swagger-ui .btn.execute { color: #fff; }
html.dark-mode .swagger-ui .header-col, html.dark-mode .swagger-ui .parameter__in { color: #e4e6e6; }
`;

let docs: ReturnType<typeof readDocs> | undefined;

/** Reads the files at the first request, so that the start neither waits for them nor fails without them. */
export function docsFiles() {
  docs ??= readDocs();
  return docs;
}

function readDocs() {
  const files = new Map<string, StaticBody>();
  const add = (stem: string, extension: Extension, bytes: Buffer): string => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    const name = `${stem}-${hash}.${extension}`;
    files.set(name, {
      type: DOCS_TYPES[extension],
      cacheControl: DOCS_FILE_CACHE,
      encode: encodings(bytes),
    });
    return name;
  };
  const folder = swaggerFolder();
  const read = (name: string) => readFileSync(join(folder, name));
  const named = {
    style: add("swagger-ui", "css", read("swagger-ui.css")),
    layout: add("layout", "css", Buffer.from(DOCS_LAYOUT)),
    icon: add("icon", "png", read("favicon-32x32.png")),
    bundle: add("swagger-ui-bundle", "js", read("swagger-ui-bundle.js")),
    initializer: add("initializer", "js", Buffer.from(DOCS_INITIALIZER)),
    licences: add(LICENCES, "txt", read(`${LICENCES}.txt`)),
  };
  const page: StaticBody = {
    type: DOCS_TYPES.html,
    cacheControl: DOCS_PAGE_CACHE,
    policy: DOCS_POLICY,
    // A page that opened this one cannot reach into it.
    more: ["cross-origin-opener-policy", "same-origin"],
    encode: encodings(Buffer.from(docsPage(named))),
  };
  return { page, files };
}

/**
 * The folder of Swagger UI's files. A build keeps a copy of those that the page needs: the package has six times as much,
 * and runs a script that reports where it is installed.
 */
function swaggerFolder(): string {
  const copy = join(import.meta.dirname, "swagger-ui");
  return existsSync(copy) ? copy : dirname(require.resolve("swagger-ui-dist/package.json"));
}

/** The HTML of the page. Its addresses are relative, so that it also works under the prefix of a reverse proxy. */
function docsPage(
  files: Readonly<Record<"style" | "layout" | "icon" | "bundle" | "initializer" | "licences", string>>,
) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Governance Data API</title>
<link rel="icon" type="image/png" sizes="32x32" href="docs/${files.icon}">
<link rel="stylesheet" href="docs/${files.style}">
<link rel="stylesheet" href="docs/${files.layout}">
</head>
<body>
<noscript>
<p>This page needs JavaScript. Without it, read <a href="openapi.json">openapi.json</a>.</p>
</noscript>
<div id="documentation"></div>
<footer><a href="docs/${files.licences}">Licences of this page</a></footer>
<script src="docs/${files.bundle}"></script>
<script src="docs/${files.initializer}"></script>
</body>
</html>
`;
}
