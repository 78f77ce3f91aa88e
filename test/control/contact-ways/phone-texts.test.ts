import fc from 'fast-check';
import t from 'tap';
import { contactWayLimits } from '../../../contract/manage/contact-ways.js';
import { smsText, spokenText } from '../../../control/contact-ways/phone-texts.js';
import { propertyOf } from '../../support/property.js';

const link = 'https://heartline.example.com/manage/pages/acme/alerts';
const urls = /https?:\/\/\S+/g;

t.test('a text message names the page and what is wrong, and ends in the link', async (t) => {
  t.equal(
    smsText({ page: 'Acme', title: 'API is down', text: 'Refused.', link }),
    `Acme: API is down - Refused. ${link}`,
  );
  t.equal(smsText({ page: 'Acme', title: '123456 is your code', text: '' }), 'Acme: 123456 is your code');
  t.equal(smsText({ page: 'A', title: 'one\ntwo\tthree', text: '' }), 'A: one two three', 'in one line');
});

t.test('a long text is cut at a word, and the link stays whole', async (t) => {
  const text = 'The connection was refused by the server '.repeat(9);
  const sent = smsText({ page: 'Acme', title: 'API is down', text, link });
  t.ok(sent.length <= 160, String(sent.length));
  t.ok(sent.length > 140, 'the room is used');
  t.match(sent, /^Acme: API is down - The connection was refused .*\w\.\.\. https:\/\//);
  t.ok(sent.endsWith(` ${link}`));
});

t.test('a link that leaves no room for words is left out', async (t) => {
  const long = `https://heartline.example.com/${'a'.repeat(100)}`;
  t.equal(smsText({ page: 'Acme', title: 'API is down', text: '', link: long }), 'Acme: API is down');
});

t.test('a link within the text is whole or not there, and no dots are behind it', async (t) => {
  const url = `https://api.example.com/${'p'.repeat(60)}`;
  const text = `${url} answers 500 ${'again and '.repeat(20)}`;
  t.match(smsText({ page: 'Acme', title: 'Down', text }), `Acme: Down - ${url} answers`);
  const late = smsText({ page: 'Acme', title: 'x'.repeat(100), text: url });
  t.notMatch(late, 'https://');
  t.ok(late.endsWith('...'));
});

t.test('for any texts: at most 160 characters, and every link in it is one that was given', async (t) => {
  const word = fc.oneof(fc.string({ maxLength: 30 }), fc.webUrl(), fc.constant('停止しました。'));
  const words = fc.array(word, { maxLength: 12 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(words, words, fc.option(fc.webUrl(), { nil: undefined }), (title, text, link) => {
      const sent = smsText({ page: 'Acme', title, text, link });
      if (sent.length > contactWayLimits.smsChars) throw new Error(`${sent.length} characters`);
      const given = new Set([title, text, link ?? ''].join(' ').match(urls) ?? []);
      const strange = (sent.match(urls) ?? []).find((url) => !given.has(url));
      if (strange !== undefined) throw new Error(`${strange} was not given`);
    }),
    propertyOf(t, { few: 500, many: 20_000 }),
  );
});

t.test('a call reads no link aloud, and ends within half a minute', async (t) => {
  const spoken = spokenText({ page: 'Acme', title: `${link} is down`, text: 'word '.repeat(200) });
  t.match(spoken, /^Acme: is down\. word word/);
  t.ok(spoken.length <= contactWayLimits.spokenChars);
});
