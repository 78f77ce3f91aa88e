import { heartline } from '@heartline/reporter/next';

// The test runs the server in its own process; the build has no test.
export const { stage, reporter, options } = globalThis.underTest ?? {};
export const withHeartline = heartline(reporter, options);
