import type { ServerHttp2Stream } from 'node:http2';
import { ServiceError } from '../../lib/service-error.js';
import type { BodyForm } from '../read-body.js';

/** A message is a byte that says whether it is compressed, its length in four bytes, and its content. */
const headBytes = 5;

/** How the one message of a call arrives (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
export const grpcForm: BodyForm<ServerHttp2Stream> = {
  ownerOf: (stream) => stream.session ?? stream,
  isWhole: (stream) => stream.readableEnded,
  frame: { bytes: headBytes, open },
};

/** @throws ServiceError `invalidBody` for anything but one whole message */
function open(sent: Buffer): { body: Buffer; isCompressed: boolean } {
  const [flag = 0] = sent;
  if (sent.length < headBytes || flag > 1 || sent.readUInt32BE(1) !== sent.length - headBytes)
    throw new ServiceError('invalidBody', { message: 'The call must have exactly one whole message.' });
  return { body: sent.subarray(headBytes), isCompressed: flag === 1 };
}

/** Writes a message that is not compressed. */
export function frame(content: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + content.length);
  framed[0] = 0;
  framed.writeUInt32BE(content.length, 1);
  content.copy(framed, headBytes);
  return framed;
}
