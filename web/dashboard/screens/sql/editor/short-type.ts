/** `UInt64` for `SimpleAggregateFunction(sum, UInt64)`: what a reader gets. */
export function shortType(type: string): string {
  const inner = /^SimpleAggregateFunction\(\w+, (.*)\)$/.exec(type)?.[1] ?? type;
  const name = /^\w+/.exec(inner)?.[0] ?? inner;
  return name === 'Nullable' ? inner : name;
}
