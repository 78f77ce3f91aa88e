import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { wholeNumber } from './core/parse-arguments.js';
import { historyDays, mailPort, ownPage, trafficDays } from './demo/extent.js';

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'fill a page with a believable history, and send it live traffic',
  help: `Creates the page "${ownPage.slug}" and fills it with ${historyDays} days of history: monitors with their checks, past incidents
and an open one, maintenance, in three languages. Your own pages stay as they are. The dashboard gets ${trafficDays} days of requests from services and
reporters, and reports of connection pools and database servers. Then posts events to the running service every two
seconds and keeps the monitors checked, until Ctrl-C. It sends no request to anything but that service. When you run it again, it
keeps what is there and continues where it ended. Resolve the open incident, and the monitor that is down recovers.
While it runs it is a mail server that delivers nothing: of a service with HEARTLINE_SMTP_URL=smtp://127.0.0.1:${mailPort} it
keeps each mail as a file in the data folder.`,
  options: {
    page: {
      value: 'SLUG',
      help: `a page that exists, without monitors of its own, in place of "${ownPage.slug}"`,
    },
    once: { help: 'only fill the page', excludes: 'minutes' },
    minutes: { value: 'N', help: 'stop after N minutes', parse: wholeNumber },
    url: {
      value: 'URL',
      help: 'address of the service, when it is not the one that runs on the data folder',
      parse: parseServiceUrl,
    },
  },
  async run(context, input) {
    // Its stores, jobs and mails take longer to load than all other commands together.
    const { runDemo } = await import('./demo/run-demo.js');
    await runDemo(context, input);
  },
});

/** @throws UsageError when the text is not an address. */
function parseServiceUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:8080, not "${text}".`);
  }
  return new URL(text).origin;
}
