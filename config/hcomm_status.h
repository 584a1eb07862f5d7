#ifndef HCOMM_STATUS_H
#define HCOMM_STATUS_H

/** Zero is success, positive is in progress, negative tells what to do. */
typedef enum {
    HCOMM_OK = 0,
    HCOMM_IN_PROGRESS = 1,
    HCOMM_ERR_NO_MEMORY = -1,   /* host, pinned or device memory is out */
    HCOMM_ERR_UNSUPPORTED = -2, /* not here: no driver, no GPU, no algorithm */
    HCOMM_ERR_NOT_FOUND = -3,   /* no such parameter, device or allocation */
    HCOMM_ERR_DEVICE = -4,      /* the vendor's driver refused or failed */
    HCOMM_ERR_INVALID = -5,     /* the caller's argument or setting is wrong */
} hcomm_status;

#endif
