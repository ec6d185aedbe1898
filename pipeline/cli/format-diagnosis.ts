import type { Diagnosis } from "../run/doctor.ts";
import { wrap } from "./wrap.ts";

const AREA_COLUMNS = 10;

/** A line a check with what to do next below it, and the count of each verdict at the end. */
export function formatDiagnosis({ checks }: Diagnosis): string {
  const lines = checks.map(({ area, verdict, message, next }) => {
    const head = `${verdict.padEnd(4)}  ${area.padEnd(AREA_COLUMNS)}  `;
    const said = message
      .split("\n")
      .map((line, place) => wrap(line, place === 0 ? head : " ".repeat(head.length)))
      .join("");
    return next === undefined ? said : `${said}${wrap(next, `${" ".repeat(head.length)}-> `)}`;
  });
  const count = (wanted: string): number => checks.filter(({ verdict }) => verdict === wanted).length;
  return `${lines.join("")}\n${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail\n`;
}
