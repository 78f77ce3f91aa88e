import { usePage, useSession } from '../session.js';
import { Command } from './command.js';

/** The line with which a job announces a deployment on the page that is shown. */
export function AnnounceCommand({ service = 'checkout' }: { service?: string }) {
  const { slug } = usePage();
  const { baseUrl } = useSession();
  const body = JSON.stringify({ service, version: '2.4.1', environment: 'production' });
  return (
    <Command>
      {`curl ${baseUrl}/api/v1/pages/${encodeURIComponent(slug)}/deployments -H "Authorization: Bearer $MANAGE_KEY" -d '${body.replaceAll("'", "'\\''")}'`}
    </Command>
  );
}
