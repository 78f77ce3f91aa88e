import type { ResolveHook } from 'node:module';

/**
 * Gives openapi-typescript a TypeScript 6. It needs the classic interface of the compiler, which the TypeScript 7 of the
 * repository does not have, and a second `typescript` in the repository would take the name `tsc`.
 */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier === 'typescript'
    ? { url: new URL('./typescript.js', import.meta.url).href, shortCircuit: true }
    : next(specifier, context);
