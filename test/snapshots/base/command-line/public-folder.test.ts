import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { isWithin, requireOutside } from "../../../../snapshots/base/command-line/public-folder.ts";
import { temporaryFolder } from "../../../proxy/support/temporary-folder.ts";

const folder = temporaryFolder();

describe("a path in the published folder is found, whatever leads to it", () => {
  const base = mkdtempSync(join(folder, "paths-"));
  for (const name of ["published/inner", "home"]) mkdirSync(join(base, name), { recursive: true });
  const links = {
    "link-in": "published/inner",
    "link-to-root": "published",
    "link-to-new": "published/not-yet",
    "link-to-link": "link-to-new",
    "link-home": "home",
    "home/up": "../published",
    "published/out": "../home",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(base, name));

  it.each([
    { why: "the folder itself", path: "published", is: true },
    { why: "a folder in it", path: "published/inner", is: true },
    { why: "what does not exist yet", path: "published/a/b", is: true },
    { why: "dots", path: "home/../published/x", is: true },
    { why: "a link into it", path: "link-in", is: true },
    { why: "something new below a link to it", path: "link-to-root/new/home", is: true },
    { why: "a link to what does not exist yet", path: "link-to-new", is: true },
    { why: "a link to a link", path: "link-to-link/home", is: true },
    { why: "a link inside a home", path: "home/up/x", is: true },
    { why: "a home beside it", path: "home", is: false },
    { why: "a link to that", path: "link-home/new", is: false },
    { why: "a link in it that leads out", path: "published/out/x", is: false },
    { why: "a name that begins alike", path: "published-home", is: false },
    { why: "the folder above", path: ".", is: false },
    { why: "a link that leads nowhere", path: "loop-a", is: false },
  ])("$why: $is", ({ path, is }) => {
    for (const published of ["published", "link-to-root"]) {
      expect(isWithin(join(base, published), join(base, path))).toBe(is);
      expect(isWithin(join(base, published), relative(process.cwd(), join(base, path)))).toBe(is);
    }
  });

  it("is refused with what to do", () => {
    const refused = () => requireOutside(join(base, "published"), "--home", join(base, "link-in"));
    expect(refused).toThrow("--home must not be in the folder of --snapshots");
    expect(refused).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("name another folder") as string }),
    );
  });
});
