import { z } from 'zod';
import { oauthErrorCodes } from '../errors/oauth-refusal.js';

const requestId = z.string().meta({ examples: ['req_6f1c2a54-8a4e-4c39-9a58-0c3f5d1f8b11'] });

const fieldError = z
  .object({
    field: z
      .string()
      .meta({ description: 'Dotted, with indexes.', examples: ['outcomes.3.notes'] }),
    message: z.string().meta({ examples: ['is required'] }),
    type: z.string().meta({ examples: ['required'] }),
  })
  .meta({ id: 'FieldError' });

const details = z
  .looseObject({ errors: z.array(fieldError).optional() })
  .meta({ id: 'ErrorDetails' });

export const platformError = z
  .object({
    error: z.object({
      code: z.string().meta({ examples: ['VALIDATION_ERROR'] }),
      message: z.string().meta({ examples: ['The request is not valid.'] }),
      request_id: requestId,
      docs_url: z.string().meta({
        examples: ['https://api.example.com/api/v1/docs#errors-VALIDATION_ERROR'],
      }),
      details: details
        .nullable()
        .optional()
        .meta({
          description:
            '`errors` names every field that is wrong, where fields are. Beyond 1,000 of them, ' +
            'or 256 KiB, the last one has the type `too_many_errors` and says that they are not ' +
            'all.',
        }),
    }),
  })
  .meta({ id: 'PlatformError' });

/** Business rules of the onboarding plane: `error` is a string there. */
const onboardingError = z
  .object({
    error: z.string().meta({ examples: ['program_not_owned'] }),
    message: z.string().meta({ examples: ['A program does not belong to this Client.'] }),
    status: z.int().meta({ examples: [422] }),
    request_id: requestId,
  })
  .meta({ id: 'OnboardingError' });

/** On the onboarding plane an error may be a business rule, which has the flat envelope there. */
export const eitherError = z.union([platformError, onboardingError]).meta({ id: 'EitherError' });

export const oauthError = z
  .object({
    error: z.enum(oauthErrorCodes),
    error_description: z.string().meta({ examples: ['client_id is missing'] }),
  })
  .meta({ id: 'OAuthError' });
