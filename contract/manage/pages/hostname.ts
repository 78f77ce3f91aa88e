import Type, { type Static } from 'typebox';
import { ChangeManagedPage } from '../pages.js';
import { closed, nullable } from '../shared.js';

export const CheckHostname = closed({ hostname: ChangeManagedPage.properties.hostname });

export const hostnameAnswers = ['this page', 'another', 'nothing'] as const;
export type HostnameAnswer = (typeof hostnameAnswers)[number];

const addresses = Type.Array(Type.String());

export const HostnameCheck = closed({
  hostname: Type.String(),
  records: closed({ cname: addresses, a: addresses, aaaa: addresses }),
  isPointedHere: nullable(
    Type.Boolean({
      description: 'Whether the name leads to this service; null when that could not be found out.',
    }),
  ),
  answers: Type.Enum([...hostnameAnswers], {
    description: 'What readers of the address get: this page, something else, or nothing.',
  }),
  detail: Type.String({ description: 'What was found, in a sentence.' }),
});
export type HostnameCheck = Static<typeof HostnameCheck>;
