/** The page of `/docs`. Its addresses are relative, so that it works under a front server's prefix as well. */
export function docsPage(files: {
  readonly style: string;
  readonly layout: string;
  readonly icon: string;
  readonly bundle: string;
  readonly initializer: string;
  readonly licences: string;
}): string {
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
<p>This page needs JavaScript. The same document for programs and for reading is <a href="openapi.json">openapi.json</a>.</p>
</noscript>
<main id="documentation"></main>
<footer><a href="docs/${files.licences}">Licences of this page</a></footer>
<script src="docs/${files.bundle}"></script>
<script src="docs/${files.initializer}"></script>
</body>
</html>
`;
}

/** What the page adds to the style sheet of Swagger UI. */
export const DOCS_LAYOUT = `html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
noscript p, footer { margin: 2em; font-family: sans-serif; }
`;
