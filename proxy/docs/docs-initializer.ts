/**
 * The one script of our own on the page. A key is typed in by hand and forgotten with the page; nothing is asked of
 * another host: no validator, no configuration from the page's address.
 */
export const DOCS_INITIALIZER = `"use strict";
window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  docExpansion: "list",
  supportedSubmitMethods: ["get"],
  persistAuthorization: false,
  queryConfigEnabled: false,
  withCredentials: false,
  validatorUrl: null
});
`;
