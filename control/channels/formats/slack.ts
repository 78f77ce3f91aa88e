import { clipText } from '../../../lib/clip-text.js';
import { type Format, postJson, signOf } from './message.js';

/** A header has fewer characters than a title, https://docs.slack.dev/reference/block-kit/blocks/header-block. */
const headerCharsMax = 150;
/** A section has fewer than a text with every character escaped. */
const sectionCharsMax = 3_000;

/**
 * A message for an incoming webhook of Slack, https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * Screen readers and notifications read `text`; everyone else sees the blocks.
 */
export const slackRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, links } = message;
  const heading = `${signOf(message)} ${title}`;
  const fields = facts.map(({ name, value }) => ({
    type: 'mrkdwn',
    text: `*${escapeMrkdwn(name)}*\n${escapeMrkdwn(value)}`,
  }));
  return postJson(url, {
    text: escapeMrkdwn(`${heading} (${page})`),
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: clipText(heading, headerCharsMax - 1), emoji: true },
      },
      ...(text === '' ? [] : [section(text)]),
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            text: [
              escapeMrkdwn(page),
              ...links.map(({ text, url }) => `<${url}|${escapeMrkdwn(text)}>`),
            ].join(' · '),
          },
        ],
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
};

function section(text: string): object {
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: clipText(escapeMrkdwn(text), sectionCharsMax - 1) },
  };
}

/** The three characters that Slack reads as control sequences, https://docs.slack.dev/messaging/formatting-message-text. */
function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
