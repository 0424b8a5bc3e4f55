export function mayEnter(user, password) {
  return user.password == password;
}
