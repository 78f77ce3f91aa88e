import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Id = Type.Union([Type.String(), Type.Number()]);

/** A request or a notification of JSON-RPC 2.0; without an id it is a notification. */
export const Message = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Id),
  method: Type.Optional(Type.String()),
  params: Type.Optional(Type.Object({}, { additionalProperties: true })),
});
export type Message = Static<typeof Message>;

const message = Compile(Message);

/** Returns `undefined` for anything that is no message, such as a batch, which the protocol no longer has. */
export function parseMessage(value: unknown): Message | undefined {
  return message.Check(value) ? value : undefined;
}

/** Codes of https://www.jsonrpc.org/specification, section 5.1. */
export const rpcErrors = { invalidRequest: -32600, methodNotFound: -32601, invalidParams: -32602 } as const;

/** An error of the protocol. What goes wrong with a tool is a result of the tool. */
export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;

  constructor(kind: keyof typeof rpcErrors, message: string) {
    super(message);
    this.code = rpcErrors[kind];
  }
}

export const answerOf = (id: string | number | null, result: object): object => ({
  jsonrpc: '2.0',
  id,
  result,
});

export const failureOf = (id: string | number | null, { code, message }: RpcError): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
