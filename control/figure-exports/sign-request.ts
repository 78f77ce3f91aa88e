import { createHash, createHmac } from 'node:crypto';

export type SigningKey = { region: string; accessKeyId: string; secret: string };

export type RequestToSign = {
  method: string;
  url: URL;
  /** Headers that are signed besides those that every request has, by their names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Milliseconds since the epoch; services refuse a clock that is a quarter of an hour off. */
  at: number;
};

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers of a request to S3 with its signature, Version 4 of AWS, in the header `authorization`
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). The body is signed as well, so that what
 * arrives is what was sent. The SDK of AWS would add some megabytes for this and a PUT.
 */
export function signRequest(key: SigningKey, request: RequestToSign): Record<string, string> {
  const { method, url, headers, body, at } = request;
  const time = new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = hashOf(body);
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    method,
    encodedPath(url),
    encodedQuery(url),
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const scope = `${day}/${key.region}/s3/aws4_request`;
  const text = [algorithm, time, scope, hashOf(canonical)].join('\n');
  const signature = hmac(derivedKey(key, day), text).toString('hex');
  return {
    ...signed,
    authorization: `${algorithm} Credential=${key.accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  };
}

function derivedKey({ region, secret }: SigningKey, day: string): Buffer {
  return [day, region, 's3', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** URL leaves characters as they are that AWS encodes, such as `$`. */
function encodedPath({ pathname }: URL): string {
  return pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');
}

function encodedQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** Encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
