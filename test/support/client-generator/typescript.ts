import { createRequire } from 'node:module';

/** The compiler that @ts-morph/common carries, with the interface that openapi-typescript prints types with. */
const { ts }: { ts: unknown } = createRequire(import.meta.url)('@ts-morph/common');

export default ts;
