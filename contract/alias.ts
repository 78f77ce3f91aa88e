import Type from 'typebox';

/** Most UTF-16 code units of an alias. */
export const aliasChars = 120;

/**
 * Schema of a name that the sender gives to a thing, shown to everybody who may read the analytics of the page. What
 * looks like a secret is refused by lib/alias.ts.
 */
export const Alias = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: aliasChars,
    description: `${description} Letters, digits, spaces and - _ . , : / # + ( ) ~ |, nothing like a secret.`,
  });
