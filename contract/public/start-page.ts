import Type from 'typebox';

/** The start page for programs, at `/` on a host of the service that is not the host of a page. */
export const StartPage = Type.Object(
  {
    name: Type.Literal('Heartline'),
    status: Type.Enum(['ok', 'unavailable']),
    checks: Type.Record(Type.String(), Type.String(), {
      description: 'What the service needs by name, with `ok` or a sentence that says what is wrong.',
    }),
    links: Type.Object({
      signIn: Type.String(),
      docs: Type.String(),
      readiness: Type.String(),
      description: Type.String(),
      metrics: Type.String(),
    }),
    pages: Type.Optional(
      Type.Array(Type.Object({ slug: Type.String(), name: Type.String(), address: Type.String() }), {
        description: 'Pages of the service, for a client on the same machine only.',
      }),
    ),
    more: Type.Optional(Type.Integer({ description: 'Pages that are not listed.' })),
  },
  { $id: 'StartPage' },
);
