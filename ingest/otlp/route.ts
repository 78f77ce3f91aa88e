/**
 * Marks of optional parts, and of groups that match without being kept: `{id?}` of ASP.NET Core, `:id?` of Express 4,
 * `(?P<id>` of Django. A mark stands behind a parenthesis or before the end of its part; a query has a name there.
 */
const groupMark = /\(\?(?:P?(?=<)|:)?/g;
const optionalMark = /\?(?=$|[/.)}\]])/g;

/**
 * Returns the template of a route without the question marks that belong to it. The rest of a route behind one would be
 * taken for a query and cut off, so that `^items/(?P<id>\d+)/$` and `^items/(?P<id>\d+)/edit$` were one endpoint.
 */
export function withoutMarks(route: string): string {
  return route.includes('?') ? route.replace(groupMark, '(').replace(optionalMark, '') : route;
}
