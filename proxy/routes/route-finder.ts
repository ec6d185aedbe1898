const segmentsOf = (path: string): readonly string[] => path.split("/");
const isName = (segment: string): boolean => segment.startsWith(":");

function isFit(template: readonly string[], path: readonly string[]): boolean {
  return (
    template.length === path.length &&
    template.every((segment, place) => isName(segment) || segment === path[place])
  );
}

/**
 * Says to which template a plain target belongs, as the router would have, for a request that never got there;
 * `undefined` where to none. What is spelt out wins over a name.
 */
export function createRouteFinder(templates: readonly string[]): (target: string) => string | undefined {
  const known = templates
    .map((template) => ({ template, segments: segmentsOf(template) }))
    .sort((a, b) => a.segments.filter(isName).length - b.segments.filter(isName).length);
  return (target) => {
    const path = segmentsOf(target.split("?")[0] ?? "");
    return known.find(({ segments }) => isFit(segments, path))?.template;
  };
}
