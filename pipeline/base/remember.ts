/**
 * Remembers what a pure function of one object answered, for as long as the object lives.
 * The object must not change: it is known by its identity alone.
 */
export function remember<Input extends object, Result>(
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const known = new WeakMap<Input, { readonly result: Result }>();
  return (input) => {
    const found = known.get(input);
    if (found !== undefined) return found.result;
    const result = compute(input);
    known.set(input, { result });
    return result;
  };
}
