import t from 'tap';
import { makeFormat } from '../../../web/dashboard/format.js';

const [en, de] = [makeFormat('en'), makeFormat('de')];

t.test('figures have the form of the language, and only as many digits as one reads', async (t) => {
  t.same([0, 999, 12_345, 1_234_567].map(en.count), ['0', '999', '12,345', '1.23M']);
  t.equal(de.count(12_345), '12.345');
  t.same([0.004, 12.34, 1_234].map(en.perSecond), ['0.004/s', '12.3/s', '1.23K/s']);
  t.same([0, 0.000_04, 0.0042, 1].map(en.share), ['0%', '0.004%', '0.42%', '100%']);
  t.match(de.share(0.0042), /^0,42\s%$/);
  t.same([0.25, 24, 123.4, 1_234, 61_000].map(en.ms), ['0.25 ms', '24 ms', '123 ms', '1.23 s', '61 s']);
  t.same([0.12, -0.5, 0].map(en.change), ['+12%', '-50%', '0%']);
});

t.test('spans use the largest whole unit', async (t) => {
  t.same([5, 60, 900, 3_600, 21_600, 86_400, 1_209_600].map(en.span), [
    ...['5 seconds', '1 minute', '15 minutes', '1 hour', '6 hours', '1 day', '14 days'],
  ]);
  t.equal(de.span(1_209_600), '14 Tage');
  t.same([0, 59, 1_000, 7_300, 200_000].map(en.roughSpan), [
    ...['0 seconds', '59 seconds', '16 minutes', '2 hours', '2 days'],
  ]);
  t.equal(de.roughSpan(7_300), '2 Stunden');
  t.same([en.seconds(1_240), de.seconds(1_240), de.seconds(0)], ['1.2', '1,2', '0,0']);
});

t.test('sizes are in steps of 1,000', async (t) => {
  t.same([0, 999, 1_000, 4_573_535, 2e15].map(en.bytes), ['0 B', '999 B', '1 kB', '4.57 MB', '2 PB']);
  t.equal(de.bytes(4_573_535), '4,57 MB');
});

t.test('ages are words', async (t) => {
  t.same([0, 5_400, 180_000, 7_200_000, 172_800_000].map(en.ago), [
    ...['now', '5 seconds ago', '3 minutes ago', '2 hours ago', '2 days ago'],
  ]);
  t.equal(de.ago(180_000), 'vor 3 Minuten');
});
