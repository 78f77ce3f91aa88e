import { setTimeout as sleep } from 'node:timers/promises';

const { HEARTLINE_URL, HEARTLINE_KEY } = process.env;

async function backUp() {
  // Your job. An error ends the script before the call, and the monitor goes down when the call is late.
}

async function callHeartline(attempts = 3) {
  try {
    const answer = await fetch(new URL(`/ping/${HEARTLINE_KEY}`, HEARTLINE_URL), {
      method: 'POST',
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`Heartline answered ${answer.status}.`);
  } catch (error) {
    if (attempts <= 1) throw error;
    await sleep(5_000);
    await callHeartline(attempts - 1);
  }
}

await backUp();
await callHeartline();
