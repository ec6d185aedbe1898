/**
 * What the page may load and run: files of this server, and pictures that stand inside its own style sheet. No inline script
 * or style, no other host, no frame around it: a key is typed into this page.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page itself is asked for each time: it names the files that belong to it. */
export const DOCS_PAGE_CACHE = "no-cache";

/** Its files carry a hash of their bytes in their names, so they never change. They are the same for everybody. */
export const DOCS_FILE_CACHE = "public, max-age=31536000, immutable";
