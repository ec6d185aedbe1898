import { fastify } from "fastify";
import { expect, it } from "vitest";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { createRouteFinder } from "../../../proxy/routes/route-finder.ts";

const TEMPLATES = ENDPOINTS.map(({ url }) => url);

it("names the template that the router would have taken", async () => {
  const router = fastify();
  for (const url of TEMPLATES)
    router.get(url, async (request) => (request.is404 ? "" : request.routeOptions.url));
  router.setNotFoundHandler((_request, reply) => void reply.send(""));
  const routeOf = createRouteFinder(TEMPLATES);
  const targets = [
    ...TEMPLATES.map((template) => template.replaceAll(/:\w+/g, "a.eth")),
    ...[
      "/v1/daos?category=defi",
      "/v1/daos/",
      "/v1/daos/risk",
      "/v1/daos/a/risk/",
      "/v1/dgi/history?period=30d",
    ],
    ...[
      "/v1/dgi/histories",
      "/v1/",
      "/v1/DAOS",
      "/v1/entities/dgi",
      "/v1//daos",
      "/v1/daos/a/b/c",
      "/v1/nothing",
    ],
  ];
  for (const target of targets)
    expect(routeOf(target) ?? "", target).toBe((await router.inject(target)).payload);
  expect(new Set(targets.map(routeOf)).size).toBe(TEMPLATES.length + 1);
  await router.close();
});

it("prefers what is spelt out, in whatever order it is told", () => {
  for (const templates of [
    ["/v1/a/:id", "/v1/a/b"],
    ["/v1/a/b", "/v1/a/:id"],
  ])
    expect(["/v1/a/b", "/v1/a/c"].map(createRouteFinder(templates))).toEqual(["/v1/a/b", "/v1/a/:id"]);
});
