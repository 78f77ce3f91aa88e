import { endOfNumber } from './numbers';
import { endOfString, skipSpace } from './strings';

/** Members of objects that were skipped. A comma and a colon each count towards the bound on the marks of a body. */
export let skippedMembers: u32 = 0;

const NULL: u32 = 0x6c6c756e;
const TRUE: u32 = 0x65757274;
/** `alse`, behind the f. */
const FALSE_REST: u32 = 0x65736c61;

/** Begins a body. */
export function forgetSkipped(): void {
  skippedMembers = 0;
}

/** Counts a member of an object that was skipped. */
// @ts-ignore: decorator
@inline
export function countSkipped(): void {
  skippedMembers++;
}

// @ts-ignore: decorator
@inline
export function isNull(p: usize): bool {
  return load<u32>(p) == NULL;
}

/** Returns the address behind the string, number, `true`, `false` or `null` at `p`; 0 for anything else. */
export function behindScalar(p: usize): usize {
  const byte = <u32>load<u8>(p);
  if (byte == 0x22) {
    const end = endOfString(p + 1);
    return end == 0 ? 0 : end + 1;
  }
  if (load<u32>(p) == NULL || load<u32>(p) == TRUE) return p + 4;
  if (byte == 0x66) return load<u32>(p + 1) == FALSE_REST ? p + 5 : 0;
  return endOfNumber(p);
}

/** Returns the address behind the value at `p`; 0 for a value that nests, or that is none. JSON.parse accepts the others. */
export function behindFlatValue(p: usize): usize {
  return load<u8>(p) == 0x7b ? behindFlatObject(p) : behindScalar(p);
}

/** Returns the address behind the object whose brace is at `p`, when all its values are scalars; 0 for another. */
function behindFlatObject(p: usize): usize {
  p = skipSpace(p + 1);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    const end = endOfString(p + 1);
    if (end == 0) return 0;
    p = skipSpace(end + 1);
    if (load<u8>(p) != 0x3a) return 0;
    p = behindScalar(skipSpace(p + 1));
    if (p == 0) return 0;
    countSkipped();
    p = skipSpace(p);
    const byte = <u32>load<u8>(p);
    p++;
    if (byte == 0x7d) return p;
    if (byte != 0x2c) return 0;
    p = skipSpace(p);
  }
  return 0;
}
