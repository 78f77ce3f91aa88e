import t from 'tap';
import { signRequest } from '../../../control/figure-exports/sign-request.js';

/**
 * The examples of AWS:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#example-signature-calculations
 */
const key = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const at = Date.parse('2013-05-24T00:00:00Z');
const host = 'https://examplebucket.s3.amazonaws.com';

const examples: [name: string, request: Omit<Parameters<typeof signRequest>[1], 'at'>, signature: string][] =
  [
    [
      'GET Object',
      {
        ...{ method: 'GET', url: new URL(`${host}/test.txt`), body: Buffer.alloc(0) },
        headers: { range: 'bytes=0-9' },
      },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'PUT Object',
      {
        ...{
          method: 'PUT',
          url: new URL(`${host}/test$file.text`),
          body: Buffer.from('Welcome to Amazon S3.'),
        },
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'GET Bucket Lifecycle',
      { method: 'GET', url: new URL(`${host}/?lifecycle`), body: Buffer.alloc(0), headers: {} },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'Get Bucket (List Objects)',
      { method: 'GET', url: new URL(`${host}/?max-keys=2&prefix=J`), body: Buffer.alloc(0), headers: {} },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ];

t.test('the published examples have the published signatures', async (t) => {
  for (const [name, request, signature] of examples) {
    const headers = signRequest(key, { ...request, at });
    t.match(headers['authorization'], new RegExp(`,Signature=${signature}$`), name);
    t.equal(headers['x-amz-date'], '20130524T000000Z');
  }
});

t.test('the secret is in no header', async (t) => {
  for (const [, request] of examples) {
    t.notOk(JSON.stringify(signRequest(key, { ...request, at })).includes(key.secret));
  }
});
