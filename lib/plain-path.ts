/**
 * Whether each segment of a path stays the one that was put there. A URL parser takes `.` and `..` away, in every encoding
 * and with what stands before them, so that `/pages/../users` is `/users`; an empty segment names the list in place of a
 * member. No way to encode them is left, so that a path with one of them must not be asked for.
 */
export function isPlainPath(path: string): boolean {
  const [segments = ''] = path.split(/[?#]/, 1);
  const [first, ...others] = segments.split('/');
  return first === '' && others.every((segment) => !/^(?:\.|%2e){0,2}$/i.test(segment));
}
