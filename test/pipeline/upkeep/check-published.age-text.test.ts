import { expect, test } from "vitest";
import { ageText } from "../../../pipeline/upkeep/check-published.ts";

test.each([
  { why: "just now", hours: 0, says: "0.0 h ago" },
  { why: "a day", hours: 24, says: "24.0 h ago" },
  { why: "the clocks of two machines", hours: -0.04, says: "0.0 h ago" },
  { why: "the least that is told", hours: -0.05, says: "0.1 h ahead of this clock" },
  { why: "an hour too early", hours: -1, says: "1.0 h ahead of this clock" },
])("$why: $says", ({ hours, says }) => {
  expect(ageText(hours, "h")).toBe(says);
});
