import type { ChildProcess } from 'node:child_process';

/** The next message of a child process. Rejects when the process ends instead, so that a benchmark does not hang. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    // The other arguments may contain passwords.
    const file = child.spawnargs.find((argument) => argument.endsWith('.js'));
    const onExit = (code: number | null, signal: string | null): void =>
      reject(new Error(`${file} ended without an answer, ${signal ?? `exit code ${code}`}.`));
    child.once('exit', onExit).once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Message); // The caller knows what its own child process sends.
    });
  });
}
