import postgres from 'postgres';
import { ServiceError } from '../../lib/service-error.js';

/** The error for a slug or a host name that another page has; every other error as it is. */
export function explainTaken(
  error: unknown,
  { slug, hostname }: { slug?: string; hostname?: string },
): unknown {
  if (!(error instanceof postgres.PostgresError)) return error;
  if (error.constraint_name === 'pages_slug_unique') {
    return new ServiceError('conflict', {
      message: `The slug "${slug}" is taken by another page.`,
      hint: `Choose another slug, or change that page with: heartline page set ${slug}`,
    });
  }
  if (error.constraint_name === 'pages_hostname_unique') {
    return new ServiceError('conflict', {
      message: `The host name "${hostname}" is taken by another page.`,
      hint: 'Choose another host name, or see which page has it with: heartline page list',
    });
  }
  return error;
}
